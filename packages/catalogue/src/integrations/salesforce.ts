import { defineIntegration, oauth2, select } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://help.salesforce.com/apex/HTViewHelpDoc?id=xcloud.remoteaccess_oauth_web_server_flow_ca.htm,
// https://help.salesforce.com/apex/HTViewHelpDoc?id=xcloud.remoteaccess_using_userinfo_endpoint.htm
// and https://developer.salesforce.com/docs/platform/api-rest/guide/resources-discoveryresource.md
export default defineIntegration({
  key: 'salesforce',
  name: 'Salesforce',
  category: 'CRM',
  version: '1.0.2',
  docs: 'https://help.salesforce.com/apex/HTViewHelpDoc?id=xcloud.remoteaccess_oauth_web_server_flow_ca.htm',
  hosts: ['login.salesforce.com', 'test.salesforce.com', '*.my.salesforce.com'],
  apiBaseUrl: '${instance_url}',
  auth: {
    OAuth2: oauth2({
      fields: {
        environment: select(
          'Environment',
          { login: 'Production', test: 'Sandbox' },
          { help: 'Choose Sandbox only for a sandbox organization.', default: 'login' },
        ),
      },
      authorizationUrl: 'https://${environment}.salesforce.com/services/oauth2/authorize',
      tokenUrl: 'https://${environment}.salesforce.com/services/oauth2/token',
      revocationUrl: 'https://${environment}.salesforce.com/services/oauth2/revoke',
      scopes: ['api', 'openid', 'refresh_token'],
      tokenResponseParams: ['instance_url'],
      // While another refresh with the same token runs: the second text until August 2024. Release notes of Winter '25.
      refreshErrors: [
        {
          match: {
            error: 'invalid_grant',
            error_description: [
              'token request is already being processed',
              'expired authorization code',
            ],
          },
          means: 'temporary',
        },
      ],
    }),
  },
  check: {
    path: '/services/data/v60.0/',
    errors: [
      { match: { '0.errorCode': 'REQUEST_LIMIT_EXCEEDED' }, code: 'rate_limited' },
      {
        match: { '0.errorCode': 'API_DISABLED_FOR_ORG' },
        code: 'insufficient_scope',
        hint: 'The edition or the user has no access to the API. Ask your Salesforce administrator.',
      },
    ],
  },
  identity: {
    path: '/services/oauth2/userinfo',
    id: 'sub',
    label: ['name', 'email'],
    avatarUrl: 'picture',
  },
})
