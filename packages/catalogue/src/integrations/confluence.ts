import { basic, defineIntegration, email, secret, text } from '@linchpin/kit'
import { ATLASSIAN_SITES, type AtlassianSite, atlassianSignIn } from '../atlassian.ts'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/confluence/basic-auth-for-rest-apis/,
// https://developer.atlassian.com/cloud/confluence/oauth-2-3lo-apps/,
// https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-users/
export default defineIntegration({
  key: 'confluence',
  name: 'Confluence',
  icon: 'confluence',
  category: 'DOCUMENTATION',
  version: '1.0.1',
  docs: 'https://developer.atlassian.com/cloud/confluence/basic-auth-for-rest-apis/',
  hosts: ['api.atlassian.com', 'auth.atlassian.com', '*.atlassian.net'],
  auth: {
    OAuth2: atlassianSignIn('read:confluence-user'),
    'API Token': basic({
      apiBaseUrl: 'https://${site}.atlassian.net',
      fields: {
        site: text('Site', {
          help: 'The first part of your address: acme in acme.atlassian.net.',
          placeholder: 'acme',
          pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
        }),
        email: email('E-mail', { help: 'The one that you sign in to Confluence with.' }),
        api_token: secret('API token', {
          help: 'Make one without scopes in the security settings of your Atlassian account.',
          helpUrl: 'https://id.atlassian.com/manage-profile/security/api-tokens',
        }),
      },
      username: '${email}',
      check: {
        path: '/wiki/rest/api/user/current',
        errors: [
          // Public wikis respond without authentication.
          { status: 200, match: { type: 'anonymous' }, code: 'invalid_credentials' },
          { status: 404, hint: 'Look at the address in your browser when you are in Confluence.' },
          { status: 403, hint: 'Check e-mail and token, and that you may use this Confluence.' },
        ],
      },
      identity: { id: 'accountId', label: ['email', 'displayName'] },
    }),
  },
  async check(context) {
    const answer = await context.fetch(ATLASSIAN_SITES)
    if (!answer.ok) return context.judge(answer)
    const sites = (await answer.json()) as AtlassianSite[]
    const site = sites.find(({ scopes }) => scopes.some((scope) => scope.includes('confluence')))
    return site
      ? context.judge(await context.fetch(`/ex/confluence/${site.id}/wiki/rest/api/user/current`))
      : context.refuse('insufficient_scope', { hint: 'Sign in again and choose a site.' })
  },
})
