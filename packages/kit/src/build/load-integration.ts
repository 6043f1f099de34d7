import type { Integration } from '../define-integration.ts'
import { loadDefault } from './load-default.ts'

/** The integration in a bundle, loaded in this process: use it for the author's own code only. */
export function loadIntegration(code: string): Integration {
  const integration = loadDefault(code)
  if (typeof integration === 'function' && 'definition' in integration)
    return integration as Integration
  throw new Error('The default export of the file is not an integration: use defineIntegration(…).')
}
