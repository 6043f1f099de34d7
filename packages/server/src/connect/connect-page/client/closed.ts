import { getMainElement } from './screen.ts'
import { closeWindow } from './watch-submission.ts'

/** Script of the last page of a sign-in window. */
closeWindow(getMainElement())
