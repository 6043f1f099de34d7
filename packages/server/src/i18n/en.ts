import { enFailures } from './failures/en.ts'
import { getFormatters } from './formatters.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
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
    startAgain: 'Start again',
    checkAgain: 'Check again',
    chooseAnother: 'Choose another tool',
    connectAnother: 'Connect another tool',
    openAgain: 'Open the window again',
    connect: ({ tool }) => t`Connect ${tool}`,
    continueTo: ({ tool }) => t`Continue to ${tool}`,
    returnTo: ({ workspace }) => t`Return to ${workspace}`,
  },
  picker: {
    title: ({ workspace }) => t`Connect your tools to ${workspace}`,
    body: 'Choose a tool. Nothing is shared until you connect it.',
    search: 'Search tools',
    searchButton: 'Search',
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
    category: {
      accounting: 'Accounting',
      ai: 'AI',
      analytics: 'Analytics',
      ats: 'Hiring',
      calendar: 'Calendar',
      crm: 'Customers',
      developer_tools: 'Development',
      documentation: 'Documentation',
      hris: 'People',
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
    body: 'Choose what is easiest for you. You can disconnect at any time.',
    signIn: ({ tool }) => t`Sign in to ${tool}`,
    signInLine: ({ host }) => t`You sign in at ${host}. There is nothing to copy.`,
    recommended: 'Recommended',
    apiKey: 'Use an API key',
    apiKeyLine: ({ tool }) => t`You copy a key from your settings in ${tool}.`,
    token: 'Use an access token',
    password: 'Use a user name and password',
    passwordLine: 'We store the password encrypted.',
    other: ({ label }) => t`Use ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Connect ${tool} to ${workspace}`,
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
    reenterSecrets: "For your safety, this page doesn't keep keys and passwords. Enter them again.",
    sessionLost:
      'This page was open for too long, or cookies are blocked. Nothing was sent. Check the form, then send it again.',
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
  failures: enFailures,
}
