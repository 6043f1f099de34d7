import { TemplateError } from '../../../../integrations/oauth/template/template-value.ts'
import { fillUrlTemplate } from '../../../../integrations/oauth/template/url-template.ts'
import type { Grant } from '../grant.ts'

/**
 * Host and port of the endpoint that refreshes the tokens of a grant, such as `login.example.com:443`. Null when the grant has
 * none, or its configuration cannot fill the URL.
 */
export function findTokenHost({
  type,
  client,
  config,
}: Pick<Grant, 'type' | 'client' | 'config'>): string | null {
  if (type === undefined) return null
  try {
    const values = { ...config, client_id: client?.clientId }
    const url = new URL(fillUrlTemplate(type.refreshUrl, values, type.templateFields))
    return `${url.hostname}:${url.port || (url.protocol === 'http:' ? '80' : '443')}`
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
