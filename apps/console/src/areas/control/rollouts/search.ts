import * as read from '../../../search.ts'

const versionTab = read.oneOf('rollouts', 'versions', 'pins', 'stuck')

export const versionsSearch = read.searchOf({ tab: versionTab, page: read.whole, rollout: read.id })
