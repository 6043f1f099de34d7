/** What an answer says when an integration refuses credentials without a word. */
export const NOT_ACCEPTED = 'The credentials were not accepted.'
