import { defineIntegration } from '@linchpin/kit'
import { microsoftSignIn } from '../microsoft.ts'

// Looked up 2026-11-21: https://learn.microsoft.com/en-us/graph/api/user-list-joinedteams
export default defineIntegration({
  key: 'microsoft_teams',
  name: 'Microsoft Teams',
  category: 'MESSAGING',
  version: '1.0.2',
  docs: 'https://learn.microsoft.com/en-us/graph/api/user-list-joinedteams',
  hosts: ['graph.microsoft.com', 'login.microsoftonline.com'],
  apiBaseUrl: 'https://graph.microsoft.com/v1.0',
  auth: { OAuth2: microsoftSignIn('User.Read', 'Team.ReadBasic.All') },
  check: {
    path: '/me/joinedTeams',
    errors: [{ status: 403, hint: 'Sign in with a work or school account that uses Teams.' }],
  },
  identity: { path: '/me', id: 'id', label: ['mail', 'userPrincipalName', 'displayName'] },
})
