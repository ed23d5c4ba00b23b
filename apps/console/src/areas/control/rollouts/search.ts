import * as read from '../../../search.ts'

const versionTabs = ['rollouts', 'versions', 'pins', 'stuck'] as const
export type VersionTab = (typeof versionTabs)[number]

export const versionsSearch = read.searchOf({ tab: read.oneOf(...versionTabs), page: read.whole, rollout: read.id })
