import { fileURLToPath } from 'node:url'

/**
 * The environment of programs under test: none of the caller's settings, only PATH and the folder in which Node caches
 * compiled code. Without that cache every start compiles the whole product, which takes seconds of CPU time.
 */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }
}

/** The program that users run: its bundle, if `npm test` has just built it; otherwise its source. */
export function programPath(name: 'main' | 'cli'): string {
  const isBundled = process.env.LINCHPIN_TEST_PROGRAMS === 'bundled'
  const file = isBundled ? `../generated/${name}.mjs` : `../src/${name}.ts`
  return fileURLToPath(new URL(file, import.meta.url))
}
