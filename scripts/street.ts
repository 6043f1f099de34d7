/**
 * The one-way street of the server: a folder, or a file beside the folders, may import only what stands to its right.
 * Those of one place may import one another. README shows the same line.
 */
export const STREET: readonly (readonly string[])[] = [
  ['cli', 'main'],
  ['start'],
  ['app', 'named-schemas'],
  ['operate'],
  ['link-page'],
  ['connect'],
  ['proxy'],
  ['link'],
  ['upgrade'],
  ['account'],
  ['oauth-app'],
  ['oauth'],
  ['catalogue'],
  ['definition'],
  ['user'],
  ['token'],
  ['workspace'],
  ['caller'],
  ['audit'],
  ['vault'],
  ['storage'],
  ['page'],
  ['http'],
  ['errors'],
  ['config'],
]
