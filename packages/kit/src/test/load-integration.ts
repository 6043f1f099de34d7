import { createRequire } from 'node:module'
import type { Integration } from '../define-integration.ts'

/** The integration of a bundle, loaded here: for the author's own code only, never for somebody else's. */
export function loadIntegration(code: string): Integration {
  const module: { exports: { default?: Integration } } = { exports: {} }
  new Function('exports', 'require', 'module', code)(
    module.exports,
    createRequire(import.meta.url),
    module,
  )
  const { default: integration } = module.exports
  if (typeof integration === 'function') return integration
  throw new Error('The file has no default export that is an integration.')
}
