import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.bamboohr.com/api/v1/meta/fields',
  sends: 'Authorization: Basic ${secret}:x',
  good: [{ id: 1, name: 'First name', type: 'text', alias: 'firstName' }],
  bad: reply(401, {}, { 'X-BambooHR-Error-Message': 'Invalid API key' }),
  insufficient: reply(403, {}, { 'X-BambooHR-Error-Message': 'You do not have access' }),
})
