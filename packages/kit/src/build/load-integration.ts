import type { Integration } from '../define-integration.ts'
import { loadDefault } from './load-default.ts'

/** The integration of a bundle, loaded here: for the author's own code only, never for somebody else's. */
export function loadIntegration(code: string): Integration {
  const integration = loadDefault(code)
  if (typeof integration === 'function' && 'definition' in integration)
    return integration as Integration
  throw new Error('The default export of the file is no integration: use defineIntegration(…).')
}
