import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { enPortal } from './portal/en.ts'
import { enStates } from './states/en.ts'

const { number, plural } = getFormatters('en')

/** English. */
export const en: Messages = {
  secured: 'Secured by Linchpin',
  privacy: 'Privacy',
  terms: 'Terms',
  thisApp: 'this app',
  action: {
    back: 'Back',
    close: 'Close',
    cancel: 'Cancel',
    done: 'Done',
    tryAgain: 'Try again',
    continue: 'Continue',
    startAgain: 'Start again',
    checkAgain: 'Check again',
    chooseAnother: 'Choose another tool',
    connectAnother: 'Connect another tool',
    updateConnection: 'Update that connection',
    addConnection: 'Add it as another',
    openAgain: 'Open the window again',
    connect: ({ tool }) => t`Connect ${tool}`,
    continueTo: ({ tool }) => t`Continue to ${tool}`,
    returnTo: ({ workspace }) => t`Return to ${workspace}`,
    returning: ({ workspace }) => t`Returning to ${workspace}…`,
    stay: 'Stay on this page',
  },
  picker: {
    title: ({ workspace }) => t`Connect your tools to ${workspace}`,
    body: 'Choose a tool. Nothing is shared until you connect it.',
    search: 'Search tools',
    searchButton: 'Search',
    skip: 'Skip to the tools',
    clear: 'Show all tools',
    categories: 'Categories',
    all: 'All',
    resultCount: ({ count }) =>
      plural(count, { one: `${number(count)} tool`, other: `${number(count)} tools` }),
    noMatch: ({ query }) => ({
      title: t`No tool matches “${query}”`,
      body: 'Check the spelling, or try a shorter word.',
    }),
    connectedHere: 'Connected just now',
    connected: 'Connected',
    custom: 'Custom',
    test: 'Test',
    category: {
      accounting: 'Accounting',
      ai: 'AI',
      analytics: 'Analytics',
      ats: 'Recruiting',
      calendar: 'Calendar',
      crm: 'CRM',
      developer_tools: 'Developer tools',
      documentation: 'Documentation',
      hris: 'HR',
      identity: 'Identity',
      mail: 'Email',
      marketing: 'Marketing',
      messaging: 'Communication',
      other: 'Other',
      payments: 'Payments',
      project_management: 'Projects',
      social: 'Social',
      storage: 'Files',
      support: 'Support',
      ticketing: 'Ticketing',
    },
  },
  auth: {
    title: ({ tool }) => t`How do you want to connect ${tool}?`,
    body: "Choose what's easiest for you. You can disconnect at any time.",
    signIn: ({ tool }) => t`Sign in to ${tool}`,
    signInLine: ({ host }) => t`Sign in at ${host}. There's nothing to copy.`,
    recommended: 'Recommended',
    apiKey: 'Use an API key',
    apiKeyLine: ({ tool }) => t`Copy a key from your settings in ${tool}.`,
    tokenLine: ({ tool }) => t`Copy a token from your settings in ${tool}.`,
    token: 'Use an access token',
    password: 'Use a username and password',
    passwordLine: 'We store your password encrypted.',
    fieldsLine: ({ label }) => t`You need: ${label}.`,
    scopes: ({ workspace }) => t`${workspace} will be able to:`,
    moreScopes: ({ count }) => `${number(count)} more`,
    other: ({ label }) => t`Use ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Connect ${tool} to ${workspace}`,
    reconnectTitle: ({ tool, workspace }) => t`Reconnect ${tool} to ${workspace}`,
    change: 'Change',
    body: ({ workspace, tool }) =>
      t`${workspace} will be able to do anything in ${tool} that these details allow. We check them with ${tool} and store them encrypted. You can disconnect at any time.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} will be able to do anything in ${tool} that this key allows. We check it with ${tool} and store it encrypted. You can disconnect at any time.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} built this connection to ${tool}; it hasn't been reviewed. Continue only if you trust it.`,
    optional: 'optional',
    choose: 'Choose',
    show: 'Show',
    hide: 'Hide',
    showField: ({ label }) => t`Show ${label}`,
    hideField: ({ label }) => t`Hide ${label}`,
    whereToFind: 'Where do I find this?',
    newWindow: 'opens a new window',
    fieldErrors: ({ count }) =>
      plural(count, { one: 'Check one field', other: `Check ${number(count)} fields` }),
    reenterSecrets: "For your safety, this page doesn't keep keys or passwords. Enter them again.",
    sessionLost:
      'This page was open for too long, or cookies are blocked. Nothing was sent. Check the form, then submit it again.',
    missing: ({ label }) => t`Enter ${label}`,
    notChosen: ({ label }) => t`Choose ${label}`,
    notEmail: 'Enter an email address, like name@example.com',
    notUrl: 'Enter a full address, like https://example.com',
    notNumber: 'Enter a number',
    notDate: 'Enter a date',
    tooShort: ({ count }) =>
      plural(count, {
        one: 'Enter at least one character',
        other: `Enter at least ${number(count)} characters`,
      }),
    tooLong: ({ count }) =>
      plural(count, {
        one: 'Enter one character only',
        other: `Enter ${number(count)} characters or fewer`,
      }),
    tooSmall: ({ count }) => t`Enter ${number(count)} or more`,
    tooLarge: ({ count }) => t`Enter ${number(count)} or less`,
    patternMismatch: ({ label }) => t`Check ${label}: it isn't in the expected format`,
    example: ({ label }) => t`For example ${label}`,
    linesHelp: 'Enter one per line.',
    jsonHelp: 'Enter it as JSON.',
  },
  states: enStates,
  portal: enPortal,
  failures: {
    access_denied: () =>
      'Access was denied. Nothing is shared. If that was a mistake, start again.',
    admin_consent_granted: ({ tool }) =>
      t`An administrator of ${tool} has given permission, but no one has signed in yet. Start again to connect your account.`,
    already_connected: ({ tool }) =>
      t`You've already connected ${tool} with this account. Start again to update that connection or to add it as another.`,
    authorization_request_failed: ({ workspace, tool }) =>
      t`${tool} didn't accept the sign-in request. Nothing is shared. Contact ${workspace}: only they can fix this.`,
    cancelled: ({ tool }) =>
      t`You cancelled before ${tool} responded. Nothing is connected. Start again whenever you like.`,
    credentials_rejected: ({ workspace, tool }) =>
      t`${tool} didn't accept what you entered. Check it and try again. Still not working? Contact ${workspace}.`,
    egress_unavailable: ({ workspace, tool }) =>
      t`We couldn't reach ${tool} because of a network problem on our side. Try again in a few minutes. Still not working? Contact ${workspace}.`,
    identity_mismatch: ({ tool }) =>
      t`You signed in to ${tool} with a different account than before. Sign out there, then start again and sign in with the same account.`,
    insufficient_scope: ({ tool }) =>
      t`${tool} accepted this key, but it doesn't have enough permissions. Add them in ${tool}, or use another key.`,
    integration_failed: ({ workspace, tool }) =>
      t`${tool} couldn't be connected because of an error on our side. Try again; if it keeps happening, contact ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`Connecting ${tool} took too long. Try again; if it keeps happening, contact ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`${tool} didn't accept this key. Check that you copied all of it, or create a new one. Still not working? Contact ${workspace}.`,
    link_expired: ({ workspace }) => t`This link has expired. Ask ${workspace} for a new one.`,
    link_full: ({ workspace }) =>
      t`This link has reached its limit. Ask ${workspace} for a new one.`,
    link_identifier_full: ({ workspace }) =>
      t`You've connected everything this link allows. Ask ${workspace} for a new one.`,
    link_revoked: ({ workspace }) => t`${workspace} has closed this link. Ask for a new one.`,
    oauth_app_missing: ({ workspace, tool }) =>
      t`Sign-in to ${tool} isn't set up yet. Contact ${workspace} to set it up.`,
    oauth_attempt_invalid: ({ workspace }) =>
      t`${workspace} has changed something in the meantime. Go back and start again.`,
    oauth_issuer_mismatch: ({ tool }) =>
      t`The response didn't come from the site where you signed in to ${tool}. For your safety, we stopped. Start again.`,
    other_browser: ({ tool }) =>
      t`You signed in to ${tool} in another browser. For your safety, we stopped. Start again and stay in one browser.`,
    oauth_start_revoked: ({ workspace, tool }) =>
      t`${workspace} withdrew this request, so ${tool} wasn't connected. Contact ${workspace} if you still want to connect it.`,
    provider_error: ({ tool }) =>
      t`${tool} isn't responding right now. Try again in a few minutes.`,
    provider_timeout: ({ tool }) =>
      t`${tool} took too long to respond. Try again in a few minutes.`,
    rate_limited: ({ tool }) =>
      t`${tool} is limiting requests right now. Wait a minute, then try again.`,
    sign_in_overdue: ({ tool }) =>
      t`The sign-in to ${tool} wasn't finished within 10 minutes. Start again when you're ready.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`You signed in, but ${tool} then rejected the access it had granted. Start again; if it keeps happening, contact ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`You opened ${tool} again in another window. Close this one and continue there.`,
    wrong_host: ({ tool }) =>
      t`There's no ${tool} at this address. Check it, or copy it from your browser while you're signed in.`,
    unknown: ({ workspace, tool }) =>
      t`${tool} gave an unexpected response. Start again; if it keeps happening, contact ${workspace}.`,
  },
}
