/**
 * What programs under test inherit: nothing of the caller's settings, only where programs are, and where Node caches
 * compiled code. Without that cache every start compiles the whole product, which takes seconds of CPU time.
 */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }
}
