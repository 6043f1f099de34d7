import { defineIntegration, oauth2, select } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0,
// .../oauth-openid-discovery-doc beside it and
// https://oauth-pythonclient.readthedocs.io/en/latest/user-guide.html (the provider's client). The
// bodies of errors are from public clients of the API.
export default defineIntegration({
  key: 'quickbooks',
  name: 'QuickBooks',
  icon: 'quickbooks',
  category: 'ACCOUNTING',
  version: '1.1.3',
  docs: 'https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0',
  hosts: [
    'quickbooks.api.intuit.com',
    'sandbox-quickbooks.api.intuit.com',
    'oauth.platform.intuit.com',
    'developer.api.intuit.com',
  ],
  apiBaseUrl: 'https://${environment}.api.intuit.com',
  // Without this header responses are XML.
  headers: { Accept: 'application/json' },
  auth: {
    OAuth2: oauth2({
      fields: {
        environment: select(
          'Environment',
          { quickbooks: 'Production', 'sandbox-quickbooks': 'Sandbox' },
          { help: 'Choose Sandbox only for a test company.', default: 'quickbooks' },
        ),
      },
      authorizationUrl: 'https://appcenter.intuit.com/connect/oauth2',
      tokenUrl: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
      // JSON, unlike RFC 7009: revokeToken of the provider's client, linked above.
      revocation: {
        url: 'https://developer.api.intuit.com/v2/oauth2/tokens/revoke',
        clientAuthentication: 'header',
        body: { token: '${token}' },
      },
      scopes: ['com.intuit.quickbooks.accounting'],
      clientAuthentication: 'header',
      callbackParams: ['realmId'],
      tokenResponseParams: ['realmId'],
      refresh: 'always',
    }),
  },
  check: { path: '/v3/company/${realmId}/companyinfo/${realmId}', ok: 'CompanyInfo' },
  async identity(context) {
    const { realmId } = context.config
    const path = '/v3/company/${realmId}/companyinfo/${realmId}'
    const { CompanyInfo } = (await (await context.fetch(path)).json()) as {
      CompanyInfo: { CompanyName: string }
    }
    return { id: realmId, label: CompanyInfo.CompanyName }
  },
})
