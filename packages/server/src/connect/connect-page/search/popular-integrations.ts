/** The keys of the tools that a list starts with: the one for a first try, then those that products connect most. The others follow by name. */
const POPULAR = [
  'acme_sandbox',
  'salesforce',
  'hubspot',
  'slack',
  'google_drive',
  'google_calendar',
  'microsoft_teams',
  'jira',
  'github',
  'notion',
]

/** The place of an integration among the popular ones; the same for all others. */
export function getPopularity(key: string): number {
  const place = POPULAR.indexOf(key)
  return place === -1 ? POPULAR.length : place
}
