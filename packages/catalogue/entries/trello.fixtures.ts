import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.trello.com/1/members/me',
  sends: 'Authorization: OAuth oauth_consumer_key="${api_key}", oauth_token="${api_token}"',
  good: { id: '5abbe4b7ddc1b351ef961414', username: 'bentley', fullName: 'Bentley Cook' },
  bad: reply(401, 'invalid token'),
  insufficient: notApplicable('A token that may read may read its own member.'),
  identity: { id: '5abbe4b7ddc1b351ef961414', label: 'bentley' },
})
