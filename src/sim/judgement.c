#include "sim/judgement.h"
#include "sim/json_put.h"

void judgement_free(Judgement *judgement)
{
	if (judgement == NULL)
		return;
	checker_free(judgement->checker);
	proof_subject_free(judgement->subject);
	void *owned[] = {judgement->failure, judgement->triangle, judgement->edge, judgement->particle, judgement->scene,
	    judgement->scene_sha256, judgement->program_sha256, judgement->fingerprint};
	for (size_t i = 0; i < G_N_ELEMENTS(owned); i++)
		g_free(owned[i]);
	if (judgement->frame != NULL)
		g_ptr_array_unref(judgement->frame);
	g_free(judgement);
}

bool judgement_has_evidence(const Judgement *judgement)
{
	return judgement->checker != NULL && checker_verdict(judgement->checker)->finding.outcome != CHECKER_PASS;
}

bool judgement_write_evidence(const Judgement *judgement, const char *path, GError **error)
{
	return proof_write_evidence(judgement->subject, &checker_verdict(judgement->checker)->finding, path, error);
}

static void put_log(const Judgement *judgement, JsonBuilder *builder)
{
	json_put_count(builder, "blocks", judgement->n_blocks);
	json_put_flag(builder, "complete", judgement->complete);
	if (judgement->scene != NULL)
		json_put_text(builder, "scene", judgement->scene);
	if (judgement->scene_sha256 != NULL)
		json_put_text(builder, "scene_sha256", judgement->scene_sha256);
	if (judgement->program_sha256 != NULL)
		json_put_text(builder, "program_sha256", judgement->program_sha256);
	if (judgement->fingerprint != NULL)
		json_put_text(builder, "motion_fingerprint", judgement->fingerprint);
}

void judgement_put(const Judgement *judgement, JsonBuilder *builder)
{
	json_put_text(builder, "verdict", judgement->failure ? "FAIL" : "PASS");
	if (judgement->failure != NULL)
		json_put_text(builder, "failure", judgement->failure);
	if (judgement->is_log)
		put_log(judgement, builder);
	else {
		json_put_count(builder, "frames", judgement->n_frames);
		json_put_count(builder, "intersecting_frames", judgement->n_intersecting);
	}
	if (judgement->checker == NULL)
		return;
	json_builder_set_member_name(builder, "proof");
	json_builder_begin_object(builder);
	json_put_text(builder, "verdict", judgement_has_evidence(judgement) ? "FAIL" : "PASS");
	proof_put_verdict(judgement->subject, checker_verdict(judgement->checker), builder);
	json_builder_end_object(builder);
}
