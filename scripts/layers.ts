/**
 * The one-way street of the server: a folder, or a file beside the folders, may import only what stands to its right.
 * Those of one place may import one another. README shows the same line.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['cli', 'main'],
  ['start'],
  ['app'],
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
  ['config'],
]
