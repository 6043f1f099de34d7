import utilPackage from 'util'

/** The module `util`: the package, and what Node added after it. */
export const util = {
  ...utilPackage,
  TextEncoder: globalThis.TextEncoder,
  TextDecoder: globalThis.TextDecoder,
}
