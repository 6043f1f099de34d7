/** What a scope of a sign-in allows, in English and in German. */
export interface ScopeLabel {
  readonly en: string
  readonly de: string
}

/**
 * Finds what a scope of an integration allows. Like the other texts of the catalogue it is outside the bundles, so that it
 * also covers older versions, and scopes that only the OAuth app of a workspace requests.
 *
 * @returns undefined for a scope without a label
 */
export function getCatalogueScopeLabel(key: string, scope: string): ScopeLabel | undefined {
  return LABELS.get(key)?.get(scope)
}

/** Every label, by the key of its integration and its scope. */
export function listCatalogueScopeLabels(): ReadonlyMap<string, ReadonlyMap<string, ScopeLabel>> {
  return LABELS
}

const GOOGLE = 'https://www.googleapis.com/auth/'

const GOOGLE_IDENTITY = `
email | See your email address | Ihre E-Mail-Adresse sehen
profile | See your name and profile picture | Ihren Namen und Ihr Profilbild sehen`

const ATLASSIAN_IDENTITY = `
read:me | See your name and email address | Ihren Namen und Ihre E-Mail-Adresse sehen`

const MICROSOFT = `
User.Read | See your profile | Ihr Profil sehen
Mail.Read | Read your email | Ihre E-Mails lesen
Mail.Send | Send email as you | E-Mails in Ihrem Namen senden
Calendars.Read | See your calendars | Ihre Kalender sehen
Calendars.ReadWrite | See and change your calendars | Ihre Kalender sehen und ändern
Files.Read | Read your files | Ihre Dateien lesen
Files.ReadWrite | Read and change your files | Ihre Dateien lesen und ändern`

/** One row per scope: its name, what it allows in English, and the same in German (formal). */
const TABLES: Readonly<Record<string, string>> = {
  acme_sandbox: `
tickets | Read and create tickets | Tickets lesen und anlegen`,
  airtable: `
user.email:read | See your email address | Ihre E-Mail-Adresse sehen
data.records:read | Read the records of the bases you choose | Die Datensätze der von Ihnen gewählten Bases lesen
data.records:write | Change the records of the bases you choose | Die Datensätze der von Ihnen gewählten Bases ändern
schema.bases:read | See the tables and fields of the bases you choose | Tabellen und Felder der von Ihnen gewählten Bases sehen`,
  asana: `
users:read | See your name and email address | Ihren Namen und Ihre E-Mail-Adresse sehen
tasks:read | Read your tasks | Ihre Aufgaben lesen
tasks:write | Create and change tasks | Aufgaben anlegen und ändern
projects:read | See your projects | Ihre Projekte sehen`,
  calendly: `
users:read | See your profile and scheduling page | Ihr Profil und Ihre Buchungsseite sehen`,
  confluence: `
read:confluence-user | See the profiles of Confluence users | Die Profile von Confluence-Benutzern sehen${ATLASSIAN_IDENTITY}`,
  discord: `
identify | See your user name and avatar | Ihren Benutzernamen und Avatar sehen
email | See your email address | Ihre E-Mail-Adresse sehen
guilds | See which servers you are in | Sehen, auf welchen Servern Sie sind`,
  docusign: `
signature | Send envelopes and see their status | Umschläge senden und deren Status sehen
extended | Stay connected until you disconnect | Verbunden bleiben, bis Sie die Verbindung trennen`,
  dropbox: `
account_info.read | See your name and email address | Ihren Namen und Ihre E-Mail-Adresse sehen
files.metadata.read | See the names of your files and folders | Die Namen Ihrer Dateien und Ordner sehen
files.content.read | Read your files | Ihre Dateien lesen
files.content.write | Add and change files | Dateien hinzufügen und ändern`,
  ebay: `
https://api.ebay.com/oauth/api_scope/commerce.identity.readonly | See your eBay user name and account type | Ihren eBay-Nutzernamen und die Art Ihres Kontos sehen`,
  egnyte: `
Egnyte.filesystem | See and change your files and folders | Ihre Dateien und Ordner sehen und ändern`,
  facebook_pages: `
public_profile | See your name and profile picture | Ihren Namen und Ihr Profilbild sehen
pages_show_list | See the list of Pages that you manage | Die Liste der Seiten sehen, die Sie verwalten`,
  figma: `
current_user:read | See your name and email address | Ihren Namen und Ihre E-Mail-Adresse sehen
file_content:read | Read your files | Ihre Dateien lesen`,
  fortnox: `
companyinformation | See your company | Ihr Unternehmen sehen`,
  freshbooks: `
user:profile:read | See your profile and businesses | Ihr Profil und Ihre Unternehmen sehen`,
  github: `
read:user | Read your profile | Ihr Profil lesen
user:email | See your email addresses | Ihre E-Mail-Adressen sehen
repo | Read and change your repositories, including private ones | Ihre Repositorys lesen und ändern, auch private
public_repo | Read and change your public repositories | Ihre öffentlichen Repositorys lesen und ändern
read:org | See your organizations and teams | Ihre Organisationen und Teams sehen
workflow | Change GitHub Actions workflows | Workflows von GitHub Actions ändern`,
  gitlab: `
read_user | Read your profile | Ihr Profil lesen
read_api | Read your projects, groups and packages | Ihre Projekte, Gruppen und Pakete lesen
read_repository | Read your repositories | Ihre Repositorys lesen
api | Read and change your projects and groups | Ihre Projekte und Gruppen lesen und ändern`,
  gmail: `${GOOGLE_IDENTITY}
${GOOGLE}gmail.readonly | Read your email and its settings | Ihre E-Mails und deren Einstellungen lesen
${GOOGLE}gmail.send | Send email as you | E-Mails in Ihrem Namen senden
${GOOGLE}gmail.modify | Read, write and send email | E-Mails lesen, schreiben und senden`,
  google_bigquery: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}bigquery | See and change your data in BigQuery | Ihre Daten in BigQuery sehen und ändern`,
  google_calendar: `${GOOGLE_IDENTITY}
${GOOGLE}calendar.readonly | See your calendars and events | Ihre Kalender und Termine sehen
${GOOGLE}calendar.events | See and change the events of your calendars | Die Termine Ihrer Kalender sehen und ändern
${GOOGLE}calendar | See, change and delete your calendars | Ihre Kalender sehen, ändern und löschen`,
  google_drive: `${GOOGLE_IDENTITY}
${GOOGLE}drive.file | See and change only the files you use with it | Nur die Dateien sehen und ändern, die Sie damit verwenden
${GOOGLE}drive.readonly | Read all your files | Alle Ihre Dateien lesen
${GOOGLE}drive | Read, change and delete all your files | Alle Ihre Dateien lesen, ändern und löschen`,
  google_sheets: `${GOOGLE_IDENTITY}
${GOOGLE}spreadsheets.readonly | Read your spreadsheets | Ihre Tabellen lesen
${GOOGLE}spreadsheets | Read, change and delete your spreadsheets | Ihre Tabellen lesen, ändern und löschen`,
  heroku: `
identity | See your name and email address | Ihren Namen und Ihre E-Mail-Adresse sehen`,
  hubspot: `
crm.objects.contacts.read | Read your contacts | Ihre Kontakte lesen
crm.objects.contacts.write | Create and change contacts | Kontakte anlegen und ändern
crm.objects.companies.read | Read your companies | Ihre Unternehmen lesen
crm.objects.deals.read | Read your deals | Ihre Deals lesen`,
  instagram: `
instagram_business_basic | See the profile and posts of your professional account | Profil und Beiträge Ihres professionellen Kontos sehen`,
  jira: `
read:jira-user | See the profiles of Jira users | Die Profile von Jira-Benutzern sehen
read:jira-work | Read your projects and issues | Ihre Projekte und Vorgänge lesen
write:jira-work | Create and change issues | Vorgänge anlegen und ändern${ATLASSIAN_IDENTITY}`,
  lever: `
users:read:admin | See the users of your company | Die Benutzer Ihres Unternehmens sehen`,
  linear: `
read | Read the data of your workspace | Die Daten Ihres Workspace lesen
write | Change the data of your workspace | Die Daten Ihres Workspace ändern
issues:create | Create issues | Issues anlegen`,
  microsoft_365: MICROSOFT,
  meta_ads: `
public_profile | See your name and profile picture | Ihren Namen und Ihr Profilbild sehen
ads_read | See your ad accounts, ads and their results | Ihre Werbekonten, Anzeigen und deren Ergebnisse sehen`,
  microsoft_teams: `${MICROSOFT}
Team.ReadBasic.All | See the names of the teams you are in | Die Namen der Teams sehen, in denen Sie Mitglied sind`,
  monday: `
me:read | See your profile | Ihr Profil sehen
boards:read | Read your boards | Ihre Boards lesen
boards:write | Change your boards | Ihre Boards ändern`,
  pagerduty: `
users.read | See the users of your account | Die Benutzer Ihres Kontos sehen`,
  quickbooks: `
com.intuit.quickbooks.accounting | Read and change the accounting data of your company | Die Buchhaltungsdaten Ihres Unternehmens lesen und ändern`,
  sage: `
readonly | Read your accounting data | Ihre Buchhaltungsdaten lesen
full_access | Read and change your accounting data | Ihre Buchhaltungsdaten lesen und ändern`,
  salesforce: `
api | Read and change the data that you have access to | Die Daten lesen und ändern, auf die Sie Zugriff haben`,
  sentry: `
org:read | See your organization and its settings | Ihre Organisation und deren Einstellungen sehen`,
  shopify: `
read_products | See your products and collections | Ihre Produkte und Kollektionen sehen
write_products | Create and change products | Produkte anlegen und ändern
read_orders | See your recent orders | Ihre letzten Bestellungen sehen
read_customers | See your customers | Ihre Kunden sehen`,
  slack: `
users:read | See the people in your workspace | Die Personen in Ihrem Workspace sehen
users:read.email | See the email addresses of people in your workspace | Die E-Mail-Adressen der Personen in Ihrem Workspace sehen
channels:read | See the public channels | Die öffentlichen Channels sehen
channels:history | Read messages in public channels it was added to | Nachrichten in öffentlichen Channels lesen, zu denen es hinzugefügt wurde
chat:write | Send messages | Nachrichten senden`,
  square: `
MERCHANT_PROFILE_READ | See your business and its locations | Ihr Unternehmen und dessen Standorte sehen`,
  threads: `
threads_basic | See your profile and your posts | Ihr Profil und Ihre Beiträge sehen`,
  tiktok: `
user.info.basic | See your display name and profile picture | Ihren Anzeigenamen und Ihr Profilbild sehen`,
  typeform: `
accounts:read | See your name and email address | Ihren Namen und Ihre E-Mail-Adresse sehen
forms:read | See your forms | Ihre Formulare sehen
responses:read | Read the responses to your forms | Die Antworten auf Ihre Formulare lesen`,
  xero: `
accounting.settings.read | See the settings of your organization | Die Einstellungen Ihrer Organisation sehen
accounting.contacts.read | See your contacts | Ihre Kontakte sehen
accounting.transactions.read | Read your invoices and transactions | Ihre Rechnungen und Transaktionen lesen`,
  zendesk: `
users:read | See the users of your account | Die Benutzer Ihres Kontos sehen
tickets:read | Read tickets | Tickets lesen
read | Read the data of your account | Die Daten Ihres Kontos lesen
write | Change the data of your account | Die Daten Ihres Kontos ändern`,
  zoho_crm: `
ZohoCRM.users.READ | See the users of your organization | Die Benutzer Ihrer Organisation sehen`,
  zoom: `
user:read:user | See your profile | Ihr Profil sehen`,
  acuity: `
api-v1 | Read and change the data of your account | Die Daten Ihres Kontos lesen und ändern`,
  aircall: `
public_api | Read and change the data of your account | Die Daten Ihres Kontos lesen und ändern`,
  autodesk: `
user-profile:read | See your profile | Ihr Profil sehen`,
  aweber: `
account.read | See your account | Ihr Konto sehen`,
  buffer: `
account:read | See your account | Ihr Konto sehen`,
  canva: `
profile:read | See your profile | Ihr Profil sehen`,
  capsule: `
read | Read the data of your account | Die Daten Ihres Kontos lesen`,
  close: `
all.full_access | Read and change the data of your account | Die Daten Ihres Kontos lesen und ändern`,
  constant_contact: `
account_read | See your account | Ihr Konto sehen`,
  digitalocean: `
read | Read the data of your account | Die Daten Ihres Kontos lesen`,
  gohighlevel: `
locations.readonly | See your locations | Ihre Standorte sehen`,
  google_analytics: `
${GOOGLE}analytics.readonly | Read your Google Analytics data | Ihre Google-Analytics-Daten lesen`,
  google_business_profile: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}business.manage | See and change your business profiles | Ihre Unternehmensprofile sehen und ändern`,
  google_chat: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}chat.spaces.readonly | See the spaces you are in | Sehen, in welchen Gruppenbereichen Sie sind`,
  google_contacts: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}contacts.readonly | See your contacts | Ihre Kontakte sehen`,
  google_docs: `
email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}documents.readonly | Read your documents | Ihre Dokumente lesen`,
  google_forms: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}forms.body.readonly | See your forms | Ihre Formulare sehen`,
  google_meet: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}meetings.space.readonly | See your meetings | Ihre Besprechungen sehen`,
  google_search_console: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}webmasters.readonly | See the data of your sites in Search Console | Die Daten Ihrer Websites in der Search Console sehen`,
  google_slides: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}presentations.readonly | Read your presentations | Ihre Präsentationen lesen`,
  google_tasks: `
${GOOGLE}userinfo.email | See your email address | Ihre E-Mail-Adresse sehen
${GOOGLE}tasks.readonly | Read your tasks | Ihre Aufgaben lesen`,
  gorgias: `
account:read | See your account | Ihr Konto sehen`,
  gumroad: `
view_profile | See your profile | Ihr Profil sehen`,
  hugging_face: `
profile | See your profile | Ihr Profil sehen
email | See your email address | Ihre E-Mail-Adresse sehen`,
  keap: `
full | Read and change the data of your account | Die Daten Ihres Kontos lesen und ändern`,
  klaviyo: `
accounts:read | See your account | Ihr Konto sehen`,
  linkedin: `
profile | See your name and profile picture | Ihren Namen und Ihr Profilbild sehen
email | See your email address | Ihre E-Mail-Adresse sehen`,
  microsoft_entra_id: MICROSOFT,
  microsoft_excel: MICROSOFT,
  microsoft_onenote: `${MICROSOFT}
Notes.Read | Read your notebooks | Ihre Notizbücher lesen`,
  microsoft_planner: `${MICROSOFT}
Tasks.Read | Read your tasks | Ihre Aufgaben lesen`,
  microsoft_todo: `${MICROSOFT}
Tasks.ReadWrite | Read and change your tasks | Ihre Aufgaben lesen und ändern`,
  onedrive: MICROSOFT,
  outlook: `${MICROSOFT}
Mail.ReadBasic | See your email without its text | Ihre E-Mails ohne deren Text sehen`,
  outlook_calendar: MICROSOFT,
  outreach: `
users.read | See the users of your organization | Die Benutzer Ihrer Organisation sehen`,
  pandadoc: `
read | Read the data of your account | Die Daten Ihres Kontos lesen`,
  pinterest: `
user_accounts:read | See your account | Ihr Konto sehen`,
  power_bi: `
https://analysis.windows.net/powerbi/api/.default | Use Power BI as you | Power BI in Ihrem Namen verwenden`,
  reddit: `
identity | See your user name | Ihren Benutzernamen sehen`,
  sharepoint: `${MICROSOFT}
Sites.Read.All | Read the sites that you may read | Die Websites lesen, die Sie lesen dürfen`,
  snapchat_ads: `
snapchat-marketing-api | See and change your ad accounts | Ihre Werbekonten sehen und ändern`,
  sumup: `
user.profile_readonly | See your profile | Ihr Profil sehen`,
  todoist: `
data:read | Read your tasks and projects | Ihre Aufgaben und Projekte lesen`,
  vimeo: `
public | See your public profile and videos | Ihr öffentliches Profil und Ihre öffentlichen Videos sehen`,
  webex: `
spark:people_read | See the people in your organization | Die Personen in Ihrer Organisation sehen`,
  webflow: `
authorized_user:read | See your name and email address | Ihren Namen und Ihre E-Mail-Adresse sehen`,
  wordpress: `
auth | See who you are | Sehen, wer Sie sind`,
  wrike: `
Default | Use Wrike as you | Wrike in Ihrem Namen verwenden`,
  x: `
tweet.read | Read the posts that you can see | Die Beiträge lesen, die Sie sehen können
users.read | See the profiles that you can see | Die Profile sehen, die Sie sehen können
offline.access | Stay connected until you disconnect | Verbunden bleiben, bis Sie die Verbindung trennen`,
  youtube: `
${GOOGLE}youtube.readonly | See your channel and videos | Ihren Kanal und Ihre Videos sehen`,
}

const LABELS: ReadonlyMap<string, ReadonlyMap<string, ScopeLabel>> = new Map(
  Object.entries(TABLES).map(([key, table]) => [key, new Map(parseRows(table))]),
)

function parseRows(table: string): [string, ScopeLabel][] {
  return table
    .trim()
    .split('\n')
    .map((row) => {
      const [scope = '', en = '', de = ''] = row.split(' | ')
      return [scope, { en, de }]
    })
}
