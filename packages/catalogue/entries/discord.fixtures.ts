import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

const agent = 'User-Agent: DiscordBot (Linchpin, 1.0.1)'
const endpoint = 'GET https://discord.com/api/v10/users/@me'

export default defineFixtures({
  endpoint,
  sends: ['Authorization: Bearer ${secret}', agent],
  good: { id: '80351110224678912', username: 'nelly', global_name: 'Nelly', avatar: '8342729096' },
  bad: reply(401, { message: '401: Unauthorized', code: 0 }),
  insufficient: reply(403, { message: 'Missing Access', code: 50001 }),
  signIn: {
    authorize: 'https://discord.com/oauth2/authorize?response_type=code&scope=identify',
    token: 'https://discord.com/api/oauth2/token',
    revocation: 'https://discord.com/api/oauth2/token/revoke',
    bodyFormat: 'form',
  },
  identity: {
    id: '80351110224678912',
    label: 'Nelly',
    avatarUrl: 'https://cdn.discordapp.com/avatars/80351110224678912/8342729096.png',
  },
  types: {
    'Bot Token': {
      sends: ['Authorization: Bot ${secret}', agent],
      insufficient: notApplicable('Every bot may read its own user.'),
    },
  },
})
