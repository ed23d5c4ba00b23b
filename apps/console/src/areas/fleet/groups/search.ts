import * as read from '../../../search.ts'

const groupTabs = ['members', 'filter', 'log'] as const
export type GroupTab = (typeof groupTabs)[number]

export const groupsSearch = read.searchOf({ page: read.whole, q: read.text, type: read.oneOf('static', 'dynamic') })
export const groupSearch = read.searchOf({ tab: read.oneOf(...groupTabs), page: read.whole })
