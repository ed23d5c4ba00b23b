import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { reviewsExamples } from './reviews.examples.ts'
import reviews from './reviews.ts'

export default area({
  name: 'accessReviews',
  contract,
  handlers: { reviews },
  examples: { reviews: reviewsExamples },
})
