import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://api.linear.app/graphql',
  sends: 'Authorization: ${secret}',
  good: { data: { viewer: { id: 'u-1', name: 'Ann' } } },
  bad: reply(400, { errors: [{ extensions: { code: 'AUTHENTICATION_ERROR' } }] }),
  insufficient: notApplicable('Every key may read its owner.'),
  identity: { id: 'u-1', label: 'Ann' },
})
