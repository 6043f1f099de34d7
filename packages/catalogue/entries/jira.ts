import { basic, defineIntegration, email, secret, text } from '@linchpin/kit'
import { ATLASSIAN_SITES, type AtlassianSite, atlassianSignIn } from '../src/atlassian.ts'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis/,
// https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
export default defineIntegration({
  key: 'jira',
  name: 'Jira',
  icon: 'jira',
  category: 'TICKETING',
  version: '1.1.4',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis/',
  hosts: ['api.atlassian.com', 'auth.atlassian.com', '*.atlassian.net'],
  auth: {
    OAuth2: atlassianSignIn('jira', 'read:jira-user'),
    'API Token': basic({
      apiBaseUrl: 'https://${site}.atlassian.net',
      fields: {
        site: text('Site', {
          help: 'The first part of your address: acme in acme.atlassian.net.',
          placeholder: 'acme',
          pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
        }),
        email: email('E-mail', { help: 'The one you use to sign in to Jira.' }),
        api_token: secret('API token', {
          help: 'Create one without scopes in the security settings of your Atlassian account.',
          helpUrl: 'https://id.atlassian.com/manage-profile/security/api-tokens',
        }),
      },
      username: '${email}',
      check: {
        path: '/rest/api/3/myself',
        errors: [
          { status: 404, hint: 'Check the address in your browser while you are in Jira.' },
          { status: 403, hint: 'Ask your admin for access to Jira on this site.' },
        ],
      },
      identity: {
        id: 'accountId',
        label: ['emailAddress', 'displayName'],
        avatarUrl: 'avatarUrls.48x48',
      },
    }),
  },
  async check(context) {
    const answer = await context.fetch(ATLASSIAN_SITES)
    if (!answer.ok) return context.checkResponse(answer)
    const sites = (await answer.json()) as AtlassianSite[]
    const site = sites.find(({ scopes }) => scopes.some((scope) => scope.includes('jira')))
    return site
      ? context.checkResponse(await context.fetch(`/ex/jira/${site.id}/rest/api/3/myself`))
      : context.refuse('insufficient_scope', { hint: 'Sign in again and choose a Jira site.' })
  },
})
