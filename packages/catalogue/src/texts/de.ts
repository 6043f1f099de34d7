/** The texts of the catalogue's fields in German, formal, by their English text. Common labels are the server's. */
export const de: Readonly<Record<string, string>> = {
  'Use good, bad, slow or flaky.': 'Verwenden Sie good, bad, slow oder flaky.',
  'Shown beside the client ID.': 'Steht neben der Client-ID.',
  'The first part of your address: acme in acme.atlassian.net.':
    'Der erste Teil Ihrer Adresse: acme in acme.atlassian.net.',
  'Create one without scopes in the security settings of your Atlassian account.':
    'Erstellen Sie in den Sicherheitseinstellungen Ihres Atlassian-Kontos eines ohne „Scopes“.',
  'Where your workspace is hosted.': 'Wo Ihr Arbeitsbereich gehostet wird.',
  'Choose Sandbox only for test accounts.': 'Wählen Sie Sandbox nur für Testkonten.',
  'In the builder hub, under Personal access tokens.':
    'Im Builder Hub unter „Personal access tokens“.',
  'Where your project is hosted.': 'Wo Ihr Projekt gehostet wird.',
  'Under Settings, Projects: your project.': 'Unter „Settings“, „Projects“: Ihr Projekt.',
  'Beside the API key. It is shown once.': 'Neben dem API-Schlüssel. Er wird nur einmal angezeigt.',
  'In the console, under API keys.': 'In der Konsole unter „API keys“.',
  'Create one in the developer console of Asana.':
    'Erstellen Sie eines in der Entwicklerkonsole von Asana.',
  'In the admin settings, under API keys. Allow it to read API keys.':
    'In den Admin-Einstellungen unter „API keys“. Erlauben Sie dem Schlüssel, API-Schlüssel zu lesen.',
  'The part before auth0.com in your domain: acme.us in acme.us.auth0.com.':
    'Der Teil Ihrer Domain vor auth0.com: acme.us in acme.us.auth0.com.',
  'In the settings of a machine-to-machine application that may read clients.':
    'In den Einstellungen einer „Machine to Machine“-Anwendung, die Clients lesen darf.',
  'Shown below the client ID.': 'Steht unter der Client-ID.',
  'The first part of your address: acme in acme.bamboohr.com.':
    'Der erste Teil Ihrer Adresse: acme in acme.bamboohr.com.',
  'Click your name in the upper right corner, then API keys.':
    'Klicken Sie oben rechts auf Ihren Namen, dann auf „API Keys“.',
  'The one of your Atlassian account.': 'Die Ihres Atlassian-Kontos.',
  'Create one with scopes for Bitbucket, among them read:user:bitbucket.':
    'Erstellen Sie eines mit „Scopes“ für Bitbucket, darunter read:user:bitbucket.',
  'In the general settings of your application, beside the client ID.':
    'In den allgemeinen Einstellungen Ihrer Anwendung, neben der Client-ID.',
  'In Calendly, under Integrations, API and webhooks. Allow it to read users.':
    'In Calendly unter „Integrations“, „API and webhooks“. Erlauben Sie dem Token, Benutzer zu lesen.',
  'Create one in your ClickUp settings, under Apps.':
    'Erstellen Sie eines in Ihren ClickUp-Einstellungen unter „Apps“.',
  'In your profile, under API tokens.': 'In Ihrem Profil unter „API Tokens“.',
  'The one you use to sign in to Confluence.':
    'Die Adresse, mit der Sie sich bei Confluence anmelden.',
  'The end of the address that you sign in to, without app.':
    'Das Ende der Adresse, unter der Sie sich anmelden, ohne „app“.',
  'In the organization settings, under API keys.':
    'In den Einstellungen der Organisation unter „API Keys“.',
  'In the organization settings, under Application keys.':
    'In den Einstellungen der Organisation unter „Application Keys“.',
  'Open your application at Discord, then Bot.':
    'Öffnen Sie Ihre Anwendung bei Discord, dann „Bot“.',
  'Choose Sandbox only for a developer account.': 'Wählen Sie Sandbox nur für ein Entwicklerkonto.',
  'In your Figma settings, under Security. Allow it to read the current user.':
    'In Ihren Figma-Einstellungen unter „Security“. Erlauben Sie dem Token, den aktuellen Benutzer zu lesen.',
  'The first part of your address: acme in acme.freshdesk.com.':
    'Der erste Teil Ihrer Adresse: acme in acme.freshdesk.com.',
  'Click your picture, then Profile settings; the key is on the right.':
    'Klicken Sie auf Ihr Bild, dann auf „Profile settings“; der Schlüssel steht rechts.',
  'Create one in your GitHub settings, under Developer settings.':
    'Erstellen Sie eines in Ihren GitHub-Einstellungen unter „Developer settings“.',
  'The URL of your GitLab server, if you host it yourself.':
    'Die URL Ihres GitLab-Servers, falls Sie ihn selbst betreiben.',
  'Create one in your GitLab preferences, and select read_user.':
    'Erstellen Sie eines in Ihren GitLab-Einstellungen, und wählen Sie read_user.',
  'Create Harvest V3 credentials in the Dev Center. Allow them to list users.':
    'Erstellen Sie im Dev Center „Harvest V3“-Zugänge. Erlauben Sie ihnen, Benutzer aufzulisten.',
  'The number in the address of a site admin’s page, under Users. Without it: the service account of these credentials.':
    'Die Zahl in der Adresse der Seite eines „Site Admin“ unter „Users“. Ohne Angabe gilt das Dienstkonto dieses Zugangs.',
  'Choose Demo only for a test company.': 'Wählen Sie Demo nur für eine Testfirma.',
  'In the settings of your HubSpot account, under Integrations, Service keys. The token of an existing private app also works.':
    'In den Einstellungen Ihres HubSpot-Kontos unter „Integrations“, „Service keys“. Das Token einer vorhandenen privaten App funktioniert auch.',
  'Where you sign in: Europe at app.eu.intercom.com.':
    'Wo Sie sich anmelden: Europa unter app.eu.intercom.com.',
  'In the Developer Hub: your app, Configure, Authentication.':
    'Im Developer Hub: Ihre App, „Configure“, „Authentication“.',
  'The one you use to sign in to Jira.': 'Die Adresse, mit der Sie sich bei Jira anmelden.',
  'In the settings, under Integrations and API. Allow it to list users.':
    'In den Einstellungen unter „Integrations and API“. Erlauben Sie dem Schlüssel, Benutzer aufzulisten.',
  'Create one in your Linear settings, under Security & access.':
    'Erstellen Sie einen in Ihren Linear-Einstellungen unter „Security & access“.',
  'The first part of the address when you are signed in, and the end of every key: us21.':
    'Der erste Teil der Adresse, wenn Sie angemeldet sind, und das Ende jedes Schlüssels: us21.',
  'In your profile, under Extras, API keys.': 'In Ihrem Profil unter „Extras“, „API keys“.',
  'Where your domain is hosted.': 'Wo Ihre Domain gehostet wird.',
  'In the account settings. A domain sending key does not work.':
    'In den Kontoeinstellungen. Ein „Domain Sending Key“ funktioniert nicht.',
  'Europe when your address begins with eu.mixpanel.com, India with in.mixpanel.com.':
    'Europa, wenn Ihre Adresse mit eu.mixpanel.com beginnt, Indien bei in.mixpanel.com.',
  'The one of a service account, under Organization settings, Service accounts.':
    'Der eines Dienstkontos, unter „Organization settings“, „Service accounts“.',
  'Shown once when the service account is created.':
    'Wird beim Erstellen des Dienstkontos einmal angezeigt.',
  'Open the developer center from your picture, then My access tokens.':
    'Öffnen Sie über Ihr Bild das Entwicklerzentrum, dann „My access tokens“.',
  'In your user settings, under Applications.':
    'In Ihren Benutzereinstellungen unter „Applications“.',
  'Create an internal connection in Notion, and give it access to the pages you choose.':
    'Erstellen Sie in Notion eine interne Verbindung, und geben Sie ihr Zugriff auf die gewünschten Seiten.',
  'The first part of your address: acme in acme.okta.com.':
    'Der erste Teil Ihrer Adresse: acme in acme.okta.com.',
  'The part after that.': 'Der Teil danach.',
  'In the admin console, under Security, API, Tokens.':
    'In der Admin-Konsole unter „Security“, „API“, „Tokens“.',
  'On the API keys page of your project.': 'Auf der Seite „API keys“ Ihres Projekts.',
  'Europe if your address ends with eu.pagerduty.com.':
    'Europa, wenn Ihre Adresse mit eu.pagerduty.com endet.',
  'Under Integrations, API access keys.': 'Unter „Integrations“, „API Access Keys“.',
  'In the developer dashboard, under Apps & credentials.':
    'Im Entwickler-Dashboard unter „Apps & Credentials“.',
  'Below the client ID of the same app.': 'Unter der Client-ID derselben App.',
  'In the settings, under API credentials. Allow it to read persons.':
    'In den Einstellungen unter „API credentials“. Erlauben Sie das Lesen von Personen.',
  'Shown once, beside the client ID.': 'Wird einmal neben der Client-ID angezeigt.',
  'The first part of your address: acme in acme.pipedrive.com.':
    'Der erste Teil Ihrer Adresse: acme in acme.pipedrive.com.',
  'Under Company settings, Personal preferences, API.':
    'Unter „Company settings“, „Personal preferences“, „API“.',
  'On the tab API Tokens of your server.': 'Auf der Registerkarte „API Tokens“ Ihres Servers.',
  'Choose Sandbox only for a test company.': 'Wählen Sie Sandbox nur für eine Testfirma.',
  'Choose Sandbox only for a sandbox organization.':
    'Wählen Sie Sandbox nur für eine Sandbox-Organisation.',
  'Under Settings, Workspace settings, Access management, Tokens.':
    'Unter „Settings“, „Workspace settings“, „Access management“, „Tokens“.',
  'Choose Europe only for a subuser that is hosted there.':
    'Wählen Sie Europa nur für einen „Subuser“, der dort gehostet wird.',
  'Under Settings, API keys. It is shown once.':
    'Unter „Settings“, „API Keys“. Er wird nur einmal angezeigt.',
  'In your user settings, under Personal tokens. Allow it to read organizations.':
    'In Ihren Benutzereinstellungen unter „Personal Tokens“. Erlauben Sie dem Token, Organisationen zu lesen.',
  'The first part of your myshopify.com address: acme in acme.myshopify.com.':
    'Der erste Teil Ihrer myshopify.com-Adresse: acme in acme.myshopify.com.',
  'In the Dev Dashboard: your app, Settings.': 'Im Dev Dashboard: Ihre App, „Settings“.',
  'Beside the client ID. The app must be installed in your store.':
    'Neben der Client-ID. Die App muss in Ihrem Shop installiert sein.',
  'Shown once when a custom app is installed in the store.':
    'Wird einmal angezeigt, wenn eine benutzerdefinierte App im Shop installiert wird.',
  'Open your app at Slack, then OAuth & Permissions. It begins with xoxb-.':
    'Öffnen Sie Ihre App bei Slack, dann „OAuth & Permissions“. Es beginnt mit xoxb-.',
  'In the Developer Console: your app, Credentials.':
    'In der Developer Console: Ihre App, „Credentials“.',
  'In the dashboard, under Developers, API keys. A restricted key is enough.':
    'Im Dashboard unter „Developers“, „API keys“. Ein eingeschränkter Schlüssel genügt.',
  'In your account, under Access tokens.': 'In Ihrem Konto unter „Access Tokens“.',
  'Open one of your Power-Ups at Trello, then API key.':
    'Öffnen Sie eines Ihrer Power-Ups bei Trello, dann „API key“.',
  'Beside the API key, choose to make a token and allow it.':
    'Wählen Sie neben dem API-Schlüssel, ein Token zu erstellen, und erlauben Sie es.',
  'On the first page of the console.': 'Auf der Startseite der Konsole.',
  'Below the account SID.': 'Unter der Konto-SID.',
  'Under Account management, API keys.': 'Unter „Account management“, „API keys“.',
  'Shown once when the key is created.': 'Wird beim Erstellen des Schlüssels einmal angezeigt.',
  'Where your responses are hosted. Enterprise plans can choose Europe.':
    'Wo Ihre Antworten gehostet werden. Mit Enterprise-Tarifen kann man Europa wählen.',
  'EU Responses Data Center': 'EU-Rechenzentrum für Antworten',
  'In your settings, under Personal tokens. Allow it to read accounts.':
    'In Ihren Einstellungen unter „Personal tokens“. Erlauben Sie dem Token, Konten zu lesen.',
  'In your account settings, under Tokens.': 'In Ihren Kontoeinstellungen unter „Tokens“.',
  'Where your shop is, without /shop or /wp-admin.':
    'Die Adresse Ihres Shops, ohne /shop oder /wp-admin.',
  'In WordPress, under WooCommerce, Settings, Advanced, REST API. It is shown once.':
    'In WordPress unter „WooCommerce“, „Einstellungen“, „Erweitert“, „REST-API“. Er wird nur einmal angezeigt.',
  'Beside the consumer key.': 'Neben dem Consumer Key.',
  'In the company profile: acme in acme.workable.com.':
    'Im Firmenprofil: acme in acme.workable.com.',
  'In the settings, under Integrations, Access tokens. Allow it to read jobs.':
    'In den Einstellungen unter „Integrations“, „Access tokens“. Erlauben Sie dem Token, Stellen zu lesen.',
  'The first part of your address: acme in acme.zendesk.com.':
    'Der erste Teil Ihrer Adresse: acme in acme.zendesk.com.',
  'In the Admin Center, under Apps and integrations, APIs, OAuth clients: a confidential one.':
    'Im Admin Center unter „Apps und Integrationen“, „APIs“, „OAuth-Clients“: ein vertraulicher.',
  'Shown once, below the identifier.': 'Wird einmal unter der ID angezeigt.',
  'The scopes, separated by spaces: read, or read write.':
    'Die „Scopes“, durch Leerzeichen getrennt: read oder read write.',
  'The address you sign in to Zendesk with.': 'Die Adresse, mit der Sie sich bei Zendesk anmelden.',
  'An existing token: Zendesk issues no new ones since October 2026, and all stop working in April 2027.':
    'Ein vorhandenes Token: Zendesk stellt seit Oktober 2026 keine neuen mehr aus, und alle enden im April 2027.',
  'The end of the address when you are signed in: zoho.eu in crm.zoho.eu.':
    'Das Ende der Adresse, wenn Sie angemeldet sind: zoho.eu in crm.zoho.eu.',
  'In your Server-to-Server app, above the client ID.':
    'In Ihrer „Server-to-Server“-App, über der Client-ID.',
}
