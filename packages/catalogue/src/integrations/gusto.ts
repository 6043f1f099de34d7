import { defineIntegration, oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.gusto.com/app-integrations/docs/oauth2 (no scopes asked for,
// one company a sign-in, client and secret in the body) and
// https://docs.gusto.com/app-integrations/reference/get-v1-token-info.
export default defineIntegration({
  key: 'gusto',
  name: 'Gusto',
  icon: 'gusto',
  category: 'HRIS',
  version: '1.0.0',
  docs: 'https://docs.gusto.com/app-integrations/docs/oauth2',
  hosts: ['api.gusto.com'],
  headers: { 'X-Gusto-API-Version': '2025-06-15' },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://api.gusto.com/oauth/authorize',
      tokenUrl: 'https://api.gusto.com/oauth/token',
      refresh: 'always',
    }),
  },
  check: { path: '/v1/token_info' },
  async identity(context) {
    const info = await context.fetch('/v1/token_info')
    const { resource } = (await info.json()) as { resource: { uuid: string } }
    // The company's name needs a permission that the token may not have.
    const company = await context.fetch(`/v1/companies/${resource.uuid}`)
    const { name } = company.ok
      ? ((await company.json()) as { name: string })
      : { name: resource.uuid }
    return { id: resource.uuid, label: name }
  },
})
