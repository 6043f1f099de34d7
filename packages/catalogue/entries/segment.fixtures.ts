import { defineFixtures, reply } from '@linchpin/kit/testing'

const refused = reply(401, { errors: [{ type: 'unauthorized', message: 'Unauthorized' }] })

export default defineFixtures({
  endpoint: 'GET https://api.segmentapis.com/',
  sends: 'Authorization: Bearer ${secret}',
  good: { data: { workspace: { id: '9aQ1Lj62S4bomZKLF4DPqW', slug: 'acme', name: 'Acme' } } },
  bad: refused,
  // A token that may not is answered like one that is wrong.
  insufficient: refused,
  codes: { insufficient: 'invalid_credentials' },
  identity: { id: '9aQ1Lj62S4bomZKLF4DPqW', label: 'Acme' },
})
