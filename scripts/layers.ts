/**
 * The layers of the server, from top to bottom: a folder, or a file beside the folders, imports only from layers below.
 * Members of one layer may import one another. README.md lists the same layers.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['cli', 'main'],
  ['start'],
  ['app'],
  ['app-services'],
  ['observability'],
  ['connect-page'],
  ['oauth-flow'],
  ['proxy'],
  ['links'],
  ['upgrades'],
  ['accounts'],
  ['oauth-apps'],
  ['oauth'],
  ['catalogue'],
  ['definitions'],
  ['users'],
  ['tokens'],
  ['workspaces'],
  ['auth'],
  ['audit'],
  ['vault'],
  ['storage'],
  ['ui'],
  ['i18n'],
  ['http'],
  ['errors'],
  ['once'],
  ['config'],
]
