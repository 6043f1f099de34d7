import { apiKey, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.discord.com/developers/resources/user#get-current-user,
// https://docs.discord.com/developers/topics/oauth2, https://docs.discord.com/developers/reference#authentication
// and #user-agent there: requests must identify themselves in this form.
export default defineIntegration({
  key: 'discord',
  name: 'Discord',
  icon: 'discord',
  category: 'MESSAGING',
  version: '1.0.3',
  docs: 'https://docs.discord.com/developers/resources/user#get-current-user',
  hosts: ['discord.com'],
  apiBaseUrl: 'https://discord.com/api/v10',
  headers: { 'User-Agent': 'DiscordBot (Linchpin, 1.0.1)' },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://discord.com/oauth2/authorize',
      tokenUrl: 'https://discord.com/api/oauth2/token',
      revocationUrl: 'https://discord.com/api/oauth2/token/revoke',
      scopes: ['identify'],
      refresh: 'always',
    }),
    'Bot Token': apiKey({
      name: 'Authorization',
      prefix: 'Bot ',
      fields: {
        bot_token: secret('Bot token', {
          help: 'Open your application at Discord, then Bot.',
          helpUrl: 'https://discord.com/developers/applications',
        }),
      },
    }),
  },
  check: { path: '/users/@me' },
  identity: {
    id: 'id',
    label: ['global_name', 'username'],
    avatarUrl: 'https://cdn.discordapp.com/avatars/${id}/${avatar}.png',
  },
})
