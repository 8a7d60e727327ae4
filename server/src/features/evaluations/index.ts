// Evaluations: what every ended run is checked and judged by, the results, and the gate that builds must pass.
import { feature } from '../../kit/feature.ts'
import { createEvalRubric } from './createEvalRubric.ts'
import { deleteEvalRubric } from './deleteEvalRubric.ts'
import { deleteRunMark } from './deleteRunMark.ts'
import { eraseTranscripts } from './eraseTranscripts.job.ts'
import { evaluateAtEnd } from './evaluateAtEnd.ts'
import { evaluateRun } from './evaluateRun.ts'
import { evaluationEvidence } from './evaluationEvidence.ts'
import { evaluateAsSuspect, evaluationKind } from './evaluateSuspects.ts'
import { reapEvaluations } from './evaluationDeaths.ts'
import { startEvaluator } from './evaluator.ts'
import { foldEvalCounts } from './foldEvalCounts.job.ts'
import { forgetEvaluations } from './forgetEvaluations.ts'
import { getEvalRubrics } from './getEvalRubrics.ts'
import { getEvalScores } from './getEvalScores.ts'
import { getMarkAgreement } from './getMarkAgreement.ts'
import { getPromotionGate } from './getPromotionGate.ts'
import { getRunEvaluation } from './getRunEvaluation.ts'
import { listBuildScores } from './listBuildScores.ts'
import { listEvaluatedRuns } from './listEvaluatedRuns.ts'
import { listRunMarks } from './listRunMarks.ts'
import { reapJudgements } from './heldJudgement.ts'
import { judgeAsSuspect, judgementKind } from './judging.ts'
import { promotionGate } from './promotionGate.ts'
import { putPromotionGate } from './putPromotionGate.ts'
import { putRunMark } from './putRunMark.ts'
import { replaceEvalRubrics } from './replaceEvalRubrics.ts'
import { rubricResource } from './rubric.ts'
import { updateEvalRubric } from './updateEvalRubric.ts'

export const evaluations = feature({
  name: 'evaluations',
  about: 'The checks and rubrics for ended runs, their results and scores, and the gate before a promotion.',
  operations: [
    getRunEvaluation,
    evaluateRun,
    getEvalScores,
    listBuildScores,
    listEvaluatedRuns,
    listRunMarks,
    putRunMark,
    deleteRunMark,
    getMarkAgreement,
    getEvalRubrics,
    createEvalRubric,
    replaceEvalRubrics,
    updateEvalRubric,
    deleteEvalRubric,
    getPromotionGate,
    putPromotionGate,
  ],
  resources: [rubricResource],
  jobs: [foldEvalCounts, eraseTranscripts],
  hooks: { runsDeleted: forgetEvaluations },
  promotionGate,
  endCheck: evaluateAtEnd,
  evidence: evaluationEvidence,
  work: startEvaluator,
  async reap({ db }, dead) {
    await reapJudgements(db.sql, dead)
    await reapEvaluations(db.sql, dead)
  },
  driveSuspect: { [judgementKind]: judgeAsSuspect, [evaluationKind]: evaluateAsSuspect },
})
