import { createRequire } from 'node:module'

/** What compiled code exports as default. It runs here: for the author's own code only, never for somebody else's. */
export function loadDefault(code: string): unknown {
  const module: { exports: { default?: unknown } } = { exports: {} }
  const load = new Function('exports', 'require', 'module', code)
  load(module.exports, createRequire(import.meta.url), module)
  return module.exports.default
}
