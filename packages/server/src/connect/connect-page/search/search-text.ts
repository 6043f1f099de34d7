import type { DefinitionSummary } from '../../../integrations/definitions/definition.ts'

/** What a search finds an integration by: its name, its category in the reader's language and in English, and other names. */
export function getSearchText(
  {
    name,
    key,
    typeKey,
    typeName,
  }: Pick<DefinitionSummary, 'name' | 'key' | 'typeKey' | 'typeName'>,
  category: string,
): string {
  const aliases = `${CATEGORY_ALIASES[typeKey] ?? ''} ${ALIASES[key] ?? ''}`
  const words = `${name} ${category} ${typeName} ${aliases}`.toLowerCase().split(/\s+/)
  return [...new Set(words)].join(' ').trim()
}

/** What people call a category, besides its name. */
const CATEGORY_ALIASES: Readonly<Record<string, string>> = {
  ACCOUNTING: 'invoices bookkeeping',
  ATS: 'recruiting hiring',
  CALENDAR: 'meetings',
  CRM: 'sales',
  DEVELOPER_TOOLS: 'code',
  HRIS: 'hr people',
  MAIL: 'email',
  MESSAGING: 'chat',
  PAYMENTS: 'billing',
  STORAGE: 'files',
  SUPPORT: 'customers help',
  TICKETING: 'issues bugs',
}

/** Former and colloquial names of tools. */
const ALIASES: Readonly<Record<string, string>> = {
  anthropic: 'claude',
  bitbucket: 'atlassian git',
  confluence: 'atlassian wiki',
  github: 'git',
  gitlab: 'git',
  gmail: 'google',
  google_calendar: 'gcal',
  google_drive: 'gdrive',
  google_sheets: 'gsheets excel',
  jira: 'atlassian',
  microsoft_365: 'office outlook o365',
  microsoft_teams: 'ms',
  openai: 'chatgpt gpt',
  quickbooks: 'intuit',
  salesforce: 'sfdc',
  segment: 'twilio',
  sendgrid: 'twilio',
  woocommerce: 'wordpress',
}
