import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.vercel.com/v2/user',
  sends: 'Authorization: Bearer ${secret}',
  good: { user: { id: 'AEIIDYVk59zbFF2Sxfyxxmua', email: 'ann@acme.test', username: 'ann' } },
  bad: reply(403, { error: { code: 'forbidden', message: 'Not authorized', invalidToken: true } }),
  insufficient: reply(403, { error: { code: 'forbidden', message: 'Not authorized' } }),
  identity: { id: 'AEIIDYVk59zbFF2Sxfyxxmua', label: 'ann@acme.test' },
})
