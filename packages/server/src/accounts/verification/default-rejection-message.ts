/** What an answer says when an integration refuses credentials without a word. */
export const DEFAULT_REJECTION_MESSAGE = 'The credentials were not accepted.'
