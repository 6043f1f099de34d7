import { createRequire } from 'node:module'

/** The default export of compiled code. It runs in this process: use it for the author's own code only. */
export function loadDefault(code: string): unknown {
  const module: { exports: { default?: unknown } } = { exports: {} }
  const load = new Function('exports', 'require', 'module', code)
  load(module.exports, createRequire(import.meta.url), module)
  return module.exports.default
}
