import { newId } from '../../../src/storage/id.ts'
import type { BrowserWorld } from '../world.ts'

const TYPES = [
  ['DEVELOPER_TOOLS', 'Developer tools'],
  ['TICKETING', 'Ticketing'],
  ['CRM', 'CRM'],
  ['PAYMENTS', 'Payments'],
  ['STORAGE', 'Storage'],
  ['MESSAGING', 'Messaging'],
  ['MARKETING', 'Marketing'],
] as const

/** Names of the catalogue: those have icons of ours. */
const NAMES =
  `Airtable Anthropic Asana Auth0 Bitbucket Box Calendly ClickUp Cloudflare Confluence Datadog Discord Dropbox Figma
GitLab Gmail Google_Calendar Google_Drive Google_Sheets Greenhouse Gusto HubSpot Intercom Jira Linear Mailchimp Mailgun Miro
Mixpanel Netlify Notion Okta PagerDuty PayPal Personio QuickBooks Sage Sentry Shopify Square Stripe Supabase Trello Typeform
Vercel WooCommerce Xero Zendesk Zoho_CRM Zoom Pipedrive Basecamp Front Plaid Twilio Coda Segment Freshdesk`.split(
    /\s+/,
  )

/** Fills the list: copies of one definition under other names, as the catalogue would have them, and that one among them. */
export async function addTools({ database, workspaceId }: BrowserWorld, like: string) {
  await database.transaction(async (trx) => {
    const model = await trx
      .selectFrom('definitions')
      .selectAll()
      .where('definition_id', '=', like)
      .executeTakeFirstOrThrow()
    const rows = NAMES.map((name, index) => {
      const [type_key, type_name] = TYPES[index % TYPES.length] ?? TYPES[0]
      return {
        ...model,
        definition_id: newId('def', model.created_at),
        workspace_id: workspaceId,
        key: name.toLowerCase(),
        name: name.replaceAll('_', ' '),
        type_key,
        type_name,
        release_stage: index === 40 ? 'BETA' : 'GENERALLY_AVAILABLE',
      }
    })
    await trx.insertInto('definitions').values(rows).execute()
    const [type_key, type_name] = TYPES[0]
    await trx
      .updateTable('definitions')
      .set({ release_stage: 'GENERALLY_AVAILABLE', type_key, type_name })
      .where('definition_id', '=', like)
      .execute()
  })
}
