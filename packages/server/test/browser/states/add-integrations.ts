import type { DefinitionId } from '../../../src/integrations/definitions/definition.ts'
import { newId } from '../../../src/platform/storage/id.ts'
import type { BrowserTestContext } from '../browser-test-context.ts'

/** Names of the catalogue by category; most of them have an icon. */
const INTEGRATIONS: readonly (readonly [key: string, name: string, tools: string])[] = [
  [
    'DEVELOPER_TOOLS',
    'Developer tools',
    'Bitbucket Cloudflare Datadog GitLab Netlify Sentry Supabase Vercel PagerDuty',
  ],
  ['PROJECT_MANAGEMENT', 'Project management', 'Airtable Asana Basecamp ClickUp Miro Trello'],
  ['TICKETING', 'Ticketing', 'Jira Linear'],
  ['SUPPORT', 'Support', 'Freshdesk Front Intercom Zendesk'],
  ['CRM', 'CRM', 'HubSpot Pipedrive Zoho_CRM'],
  ['PAYMENTS', 'Payments', 'PayPal Plaid Shopify Square Stripe WooCommerce'],
  ['ACCOUNTING', 'Accounting', 'QuickBooks Sage Xero'],
  ['STORAGE', 'Storage', 'Box Dropbox Google_Drive'],
  ['DOCUMENTATION', 'Documentation', 'Coda Confluence Google_Sheets Notion'],
  ['MESSAGING', 'Messaging', 'Discord Twilio Zoom'],
  ['MAIL', 'Mail', 'Gmail Mailgun'],
  ['CALENDAR', 'Calendar', 'Calendly Google_Calendar'],
  ['MARKETING', 'Marketing', 'Mailchimp Typeform'],
  ['ANALYTICS', 'Analytics', 'Mixpanel Segment'],
  ['HRIS', 'HRIS', 'Gusto Personio'],
  ['ATS', 'ATS', 'Greenhouse'],
  ['IDENTITY', 'Identity', 'Auth0 Okta'],
  ['AI', 'AI', 'Anthropic'],
]

/**
 * Fills the list with copies of one definition under names of the catalogue; the definition itself stays in the list.
 */
export async function addIntegrations(
  { database, workspaceId }: BrowserTestContext,
  templateId: DefinitionId,
) {
  await database.transaction(async (trx) => {
    const template = await trx
      .selectFrom('definitions')
      .selectAll()
      .where('definition_id', '=', templateId)
      .executeTakeFirstOrThrow()
    const rows = INTEGRATIONS.flatMap(([type_key, type_name, names]) =>
      names.split(' ').map((name) => ({
        ...template,
        definition_id: newId('def', template.created_at),
        // It includes the ID.
        workspace_id: workspaceId,
        key: name.toLowerCase(),
        name: name.replaceAll('_', ' '),
        type_key,
        type_name,
        release_stage: name === 'Coda' ? 'BETA' : 'GENERALLY_AVAILABLE',
      })),
    )
    await trx.insertInto('definitions').values(rows).execute()
    const [[type_key, type_name] = ['', '']] = INTEGRATIONS
    await trx
      .updateTable('definitions')
      .set({ release_stage: 'GENERALLY_AVAILABLE', type_key, type_name })
      .where('definition_id', '=', templateId)
      .execute()
  })
}
