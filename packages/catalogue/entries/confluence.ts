import { basic, defineIntegration, email, secret, text } from '@linchpin/kit'
import { ATLASSIAN_SITES, type AtlassianSite, atlassianSignIn } from '../src/atlassian.ts'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/confluence/basic-auth-for-rest-apis/,
// https://developer.atlassian.com/cloud/confluence/oauth-2-3lo-apps/,
// https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-users/
export default defineIntegration({
  key: 'confluence',
  name: 'Confluence',
  icon: 'confluence',
  category: 'DOCUMENTATION',
  version: '1.1.4',
  docs: 'https://developer.atlassian.com/cloud/confluence/basic-auth-for-rest-apis/',
  hosts: ['api.atlassian.com', 'auth.atlassian.com', '*.atlassian.net'],
  auth: {
    OAuth2: atlassianSignIn('confluence', 'read:confluence-user'),
    'API Token': basic({
      apiBaseUrl: 'https://${site}.atlassian.net',
      fields: {
        site: text('Site', {
          help: 'The first part of your address: acme in acme.atlassian.net.',
          placeholder: 'acme',
          pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
        }),
        email: email('E-mail', { help: 'The one you use to sign in to Confluence.' }),
        api_token: secret('API token', {
          help: 'Create one without scopes in the security settings of your Atlassian account.',
          helpUrl: 'https://id.atlassian.com/manage-profile/security/api-tokens',
        }),
      },
      username: '${email}',
      check: {
        path: '/wiki/rest/api/user/current',
        errors: [
          // Public wikis respond without authentication.
          { status: 200, match: { type: 'anonymous' }, code: 'invalid_credentials' },
          { status: 404, hint: 'Check the address in your browser while you are in Confluence.' },
          {
            status: 403,
            hint: 'Check the email and the token, and that you have access to this Confluence site.',
          },
        ],
      },
      identity: { id: 'accountId', label: ['email', 'displayName'] },
    }),
  },
  async check(context) {
    const answer = await context.fetch(ATLASSIAN_SITES)
    if (!answer.ok) return context.checkResponse(answer)
    const sites = (await answer.json()) as AtlassianSite[]
    const site = sites.find(({ scopes }) => scopes.some((scope) => scope.includes('confluence')))
    return site
      ? context.checkResponse(
          await context.fetch(`/ex/confluence/${site.id}/wiki/rest/api/user/current`),
        )
      : context.refuse('insufficient_scope', { hint: 'Sign in again and choose a site.' })
  },
})
