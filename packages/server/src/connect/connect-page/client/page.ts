import { startPage } from './main.ts'

/** Script of the connect page in a tab of its own. */
startPage()
