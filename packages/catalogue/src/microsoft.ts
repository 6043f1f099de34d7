import { oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow
/** OAuth with Microsoft for permissions of one product in Microsoft Graph, and for refresh tokens. */
export function microsoftSignIn(...permissions: readonly string[]) {
  return oauth2({
    authorizationUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    scopes: [...permissions, 'offline_access'],
  })
}
