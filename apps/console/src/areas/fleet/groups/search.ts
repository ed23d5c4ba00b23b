import * as read from '../../../search.ts'

export const groupsSearch = read.searchOf({ page: read.whole, q: read.text, type: read.oneOf('static', 'dynamic') })
export const groupSearch = read.searchOf({ tab: read.oneOf('members', 'filter', 'log'), page: read.whole })
