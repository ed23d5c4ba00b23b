import * as read from '../../../search.ts'

/** The results of a bulk command. */
export const runSearch = read.searchOf({ page: read.whole, state: read.text, command: read.id })

export const approvalsSearch = read.searchOf({
  page: read.whole,
  status: read.oneOf('pending', 'approved', 'refused', 'withdrawn', 'expired'),
  approval: read.id,
})
