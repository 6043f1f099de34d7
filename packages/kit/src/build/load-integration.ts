import { createRequire } from 'node:module'
import type { Integration } from '../define-integration.ts'

/** The integration in a bundle, loaded in this process: use it for the author's own code only. */
export function loadIntegration(code: string): Integration {
  const integration = loadDefault(code)
  if (typeof integration === 'function' && 'definition' in integration)
    return integration as Integration
  throw new Error('The default export of the file is not an integration: use defineIntegration(…).')
}

/** The default export of compiled code. It runs in this process: use it for the author's own code only. */
export function loadDefault(code: string): unknown {
  const module: { exports: { default?: unknown } } = { exports: {} }
  const load = new Function('exports', 'require', 'module', code)
  load(module.exports, createRequire(import.meta.url), module)
  return module.exports.default
}
