import { defineIntegration, oauth2, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.gusto.com/app-integrations/docs/oauth2 (no scopes asked for,
// one company a sign-in, client and secret in the body),
// https://docs.gusto.com/app-integrations/reference/get-v1-token-info and
// https://docs.gusto.com/embedded-payroll/docs/oauth2-3 (the demo environment).
export default defineIntegration({
  key: 'gusto',
  name: 'Gusto',
  icon: 'gusto',
  category: 'HRIS',
  version: '1.2.4',
  docs: 'https://docs.gusto.com/app-integrations/docs/oauth2',
  hosts: ['api.gusto.com', 'api.gusto-demo.com'],
  apiBaseUrl: 'https://api.${environment}.com',
  headers: { 'X-Gusto-API-Version': '2025-06-15' },
  inputs: {
    environment: select(
      'Environment',
      { gusto: 'Production', 'gusto-demo': 'Demo' },
      { help: 'Choose Demo only for a test company.', default: 'gusto' },
    ),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://api.${environment}.com/oauth/authorize',
      tokenUrl: 'https://api.${environment}.com/oauth/token',
      refresh: 'always',
    }),
  },
  check: { path: '/v1/token_info' },
  after: [
    {
      name: 'company_id',
      title: 'Company',
      path: '/v1/token_info',
      value: 'resource.uuid',
      i18n: { de: { title: 'Firma' } },
    },
  ],
  async identity(context) {
    const info = await context.fetch('/v1/token_info')
    const { resource } = (await info.json()) as { resource: { uuid: string } }
    // The company's name requires a permission that the token may lack.
    const company = await context.fetch(`/v1/companies/${resource.uuid}`)
    const { name } = company.ok
      ? ((await company.json()) as { name: string })
      : { name: resource.uuid }
    return { id: resource.uuid, label: name }
  },
})
