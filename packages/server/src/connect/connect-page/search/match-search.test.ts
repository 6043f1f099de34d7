import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getSearchText } from '../screens/picker-screen.ts'
import { searchItems } from './match-search.ts'

const TOOLS = [
  { name: 'HubSpot', key: 'hubspot', typeKey: 'CRM', typeName: 'CRM' },
  { name: 'Salesforce', key: 'salesforce', typeKey: 'CRM', typeName: 'CRM' },
  { name: 'Slack', key: 'slack', typeKey: 'MESSAGING', typeName: 'Messaging' },
  { name: 'Jira', key: 'jira', typeKey: 'TICKETING', typeName: 'Ticketing' },
  {
    name: 'Microsoft Teams',
    key: 'microsoft_teams',
    typeKey: 'MESSAGING',
    typeName: 'Messaging',
  },
]

function find(query: string): string[] {
  const found = searchItems(TOOLS, (tool) => getSearchText(tool, 'Kunden'), query)
  return found.map(({ name }) => name)
}

describe('searchItems', () => {
  it('finds a part of a word, ignoring case and accents, and all words of the query', () => {
    assert.deepEqual(find('sláC'), ['Slack'])
    assert.deepEqual(find('teams micro'), ['Microsoft Teams'])
    assert.deepEqual(find('teams slack'), [])
    assert.equal(find(' ').length, TOOLS.length)
  })

  it('finds a category in the language of the reader, in English, and other names', () => {
    assert.deepEqual(find('kunden hub'), ['HubSpot'])
    assert.deepEqual(find('crm'), ['HubSpot', 'Salesforce'])
    assert.deepEqual(find('ms'), ['Microsoft Teams'])
    assert.deepEqual(find('atlassian'), ['Jira'])
  })

  for (const query of ['slak', 'slcak', 'slacck', 'sleck', 'slackk'])
    it(`finds Slack for ${query}, which differs by one edit`, () => {
      assert.deepEqual(find(query), ['Slack'])
    })

  it('finds the beginning of a word that is misspelled', () => {
    assert.deepEqual(find('hubsop'), ['HubSpot'])
    assert.deepEqual(find('hubsopt'), ['HubSpot'])
    assert.deepEqual(find('salesfroc'), ['Salesforce'])
  })

  it('requires short words, and all but one edit, to be right', () => {
    assert.deepEqual(find('jrx'), [])
    assert.deepEqual(find('slqqk'), [])
    assert.deepEqual(find('zzzz'), [])
  })

  it('prefers what is spelled as in the query', () => {
    const items = ['slack', 'slick']
    assert.deepEqual(
      searchItems(items, (item) => item, 'slick'),
      ['slick'],
    )
  })
})
