#include "cpages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// One array a file, then one line a file; a test of ViewerPages compares both with the folder.

static const uint8_t admin_html[] = {
#embed "../ViewerPages/Resources/admin.html"
};
static const uint8_t admin_js[] = {
#embed "../ViewerPages/Resources/admin.js"
};
static const uint8_t adminclient_js[] = {
#embed "../ViewerPages/Resources/adminclient.js"
};
static const uint8_t adminwords_js[] = {
#embed "../ViewerPages/Resources/adminwords.js"
};
static const uint8_t alert_html[] = {
#embed "../ViewerPages/Resources/alert.html"
};
static const uint8_t alert_js[] = {
#embed "../ViewerPages/Resources/alert.js"
};
static const uint8_t alerttaken_html[] = {
#embed "../ViewerPages/Resources/alerttaken.html"
};
static const uint8_t base_css[] = {
#embed "../ViewerPages/Resources/base.css"
};
static const uint8_t beat_js[] = {
#embed "../ViewerPages/Resources/beat.js"
};
static const uint8_t board_js[] = {
#embed "../ViewerPages/Resources/board.js"
};
static const uint8_t chart_js[] = {
#embed "../ViewerPages/Resources/chart.js"
};
static const uint8_t charts_js[] = {
#embed "../ViewerPages/Resources/charts.js"
};
static const uint8_t clock_js[] = {
#embed "../ViewerPages/Resources/clock.js"
};
static const uint8_t colors_js[] = {
#embed "../ViewerPages/Resources/colors.js"
};
static const uint8_t connection_js[] = {
#embed "../ViewerPages/Resources/connection.js"
};
static const uint8_t course_js[] = {
#embed "../ViewerPages/Resources/course.js"
};
static const uint8_t coursefile_js[] = {
#embed "../ViewerPages/Resources/coursefile.js"
};
static const uint8_t credentials_js[] = {
#embed "../ViewerPages/Resources/credentials.js"
};
static const uint8_t deliveries_js[] = {
#embed "../ViewerPages/Resources/deliveries.js"
};
static const uint8_t dom_js[] = {
#embed "../ViewerPages/Resources/dom.js"
};
static const uint8_t door_js[] = {
#embed "../ViewerPages/Resources/door.js"
};
static const uint8_t format_js[] = {
#embed "../ViewerPages/Resources/format.js"
};
static const uint8_t frames_js[] = {
#embed "../ViewerPages/Resources/frames.js"
};
static const uint8_t framestore_js[] = {
#embed "../ViewerPages/Resources/framestore.js"
};
static const uint8_t group_html[] = {
#embed "../ViewerPages/Resources/group.html"
};
static const uint8_t group_js[] = {
#embed "../ViewerPages/Resources/group.js"
};
static const uint8_t groups_js[] = {
#embed "../ViewerPages/Resources/groups.js"
};
static const uint8_t helpcall_js[] = {
#embed "../ViewerPages/Resources/helpcall.js"
};
static const uint8_t hold_js[] = {
#embed "../ViewerPages/Resources/hold.js"
};
static const uint8_t icon_png[] = {
#embed "../ViewerPages/Resources/icon.png"
};
static const uint8_t icon_svg[] = {
#embed "../ViewerPages/Resources/icon.svg"
};
static const uint8_t importfiles_js[] = {
#embed "../ViewerPages/Resources/importfiles.js"
};
static const uint8_t leader_js[] = {
#embed "../ViewerPages/Resources/leader.js"
};
static const uint8_t linkdialog_js[] = {
#embed "../ViewerPages/Resources/linkdialog.js"
};
static const uint8_t live_css[] = {
#embed "../ViewerPages/Resources/live.css"
};
static const uint8_t live_html[] = {
#embed "../ViewerPages/Resources/live.html"
};
static const uint8_t live_js[] = {
#embed "../ViewerPages/Resources/live.js"
};
static const uint8_t manifest_webmanifest[] = {
#embed "../ViewerPages/Resources/manifest.webmanifest"
};
static const uint8_t map_css[] = {
#embed "../ViewerPages/Resources/map.css"
};
static const uint8_t map_js[] = {
#embed "../ViewerPages/Resources/map.js"
};
static const uint8_t me_css[] = {
#embed "../ViewerPages/Resources/me.css"
};
static const uint8_t me_html[] = {
#embed "../ViewerPages/Resources/me.html"
};
static const uint8_t me_js[] = {
#embed "../ViewerPages/Resources/me.js"
};
static const uint8_t messages_js[] = {
#embed "../ViewerPages/Resources/messages.js"
};
static const uint8_t metrics_js[] = {
#embed "../ViewerPages/Resources/metrics.js"
};
static const uint8_t motion_js[] = {
#embed "../ViewerPages/Resources/motion.js"
};
static const uint8_t notfound_html[] = {
#embed "../ViewerPages/Resources/notfound.html"
};
static const uint8_t notfound_js[] = {
#embed "../ViewerPages/Resources/notfound.js"
};
static const uint8_t outbox_js[] = {
#embed "../ViewerPages/Resources/outbox.js"
};
static const uint8_t overlay_css[] = {
#embed "../ViewerPages/Resources/overlay.css"
};
static const uint8_t overlay_html[] = {
#embed "../ViewerPages/Resources/overlay.html"
};
static const uint8_t overlay_js[] = {
#embed "../ViewerPages/Resources/overlay.js"
};
static const uint8_t overlaysetup_css[] = {
#embed "../ViewerPages/Resources/overlaysetup.css"
};
static const uint8_t overlaysetup_html[] = {
#embed "../ViewerPages/Resources/overlaysetup.html"
};
static const uint8_t overlaysetup_js[] = {
#embed "../ViewerPages/Resources/overlaysetup.js"
};
static const uint8_t owner_js[] = {
#embed "../ViewerPages/Resources/owner.js"
};
static const uint8_t ownerwords_js[] = {
#embed "../ViewerPages/Resources/ownerwords.js"
};
static const uint8_t pagecopy_js[] = {
#embed "../ViewerPages/Resources/pagecopy.js"
};
static const uint8_t pages_css[] = {
#embed "../ViewerPages/Resources/pages.css"
};
static const uint8_t panel_js[] = {
#embed "../ViewerPages/Resources/panel.js"
};
static const uint8_t part_charts_html[] = {
#embed "../ViewerPages/Resources/part-charts.html"
};
static const uint8_t part_head_html[] = {
#embed "../ViewerPages/Resources/part-head.html"
};
static const uint8_t part_map_color_html[] = {
#embed "../ViewerPages/Resources/part-map-color.html"
};
static const uint8_t part_map_tools_html[] = {
#embed "../ViewerPages/Resources/part-map-tools.html"
};
static const uint8_t part_scopes_html[] = {
#embed "../ViewerPages/Resources/part-scopes.html"
};
static const uint8_t part_zones_html[] = {
#embed "../ViewerPages/Resources/part-zones.html"
};
static const uint8_t past_js[] = {
#embed "../ViewerPages/Resources/past.js"
};
static const uint8_t picture_js[] = {
#embed "../ViewerPages/Resources/picture.js"
};
static const uint8_t places_js[] = {
#embed "../ViewerPages/Resources/places.js"
};
static const uint8_t position_js[] = {
#embed "../ViewerPages/Resources/position.js"
};
static const uint8_t power_js[] = {
#embed "../ViewerPages/Resources/power.js"
};
static const uint8_t profile_js[] = {
#embed "../ViewerPages/Resources/profile.js"
};
static const uint8_t projection_js[] = {
#embed "../ViewerPages/Resources/projection.js"
};
static const uint8_t protocol_js[] = {
#embed "../ViewerPages/Resources/protocol.js"
};
static const uint8_t qr_js[] = {
#embed "../ViewerPages/Resources/qr.js"
};
static const uint8_t queue_js[] = {
#embed "../ViewerPages/Resources/queue.js"
};
static const uint8_t receivers_js[] = {
#embed "../ViewerPages/Resources/receivers.js"
};
static const uint8_t record_css[] = {
#embed "../ViewerPages/Resources/record.css"
};
static const uint8_t record_html[] = {
#embed "../ViewerPages/Resources/record.html"
};
static const uint8_t record_js[] = {
#embed "../ViewerPages/Resources/record.js"
};
static const uint8_t recorder_js[] = {
#embed "../ViewerPages/Resources/recorder.js"
};
static const uint8_t recording_js[] = {
#embed "../ViewerPages/Resources/recording.js"
};
static const uint8_t recordmodel_js[] = {
#embed "../ViewerPages/Resources/recordmodel.js"
};
static const uint8_t recordview_js[] = {
#embed "../ViewerPages/Resources/recordview.js"
};
static const uint8_t recordwords_js[] = {
#embed "../ViewerPages/Resources/recordwords.js"
};
static const uint8_t recordworker_js[] = {
#embed "../ViewerPages/Resources/recordworker.js"
};
static const uint8_t report_css[] = {
#embed "../ViewerPages/Resources/report.css"
};
static const uint8_t report_html[] = {
#embed "../ViewerPages/Resources/report.html"
};
static const uint8_t report_js[] = {
#embed "../ViewerPages/Resources/report.js"
};
static const uint8_t retry_js[] = {
#embed "../ViewerPages/Resources/retry.js"
};
static const uint8_t route_js[] = {
#embed "../ViewerPages/Resources/route.js"
};
static const uint8_t scrub_js[] = {
#embed "../ViewerPages/Resources/scrub.js"
};
static const uint8_t sensors_js[] = {
#embed "../ViewerPages/Resources/sensors.js"
};
static const uint8_t series_js[] = {
#embed "../ViewerPages/Resources/series.js"
};
static const uint8_t sessionlist_js[] = {
#embed "../ViewerPages/Resources/sessionlist.js"
};
static const uint8_t sharelist_js[] = {
#embed "../ViewerPages/Resources/sharelist.js"
};
static const uint8_t sharing_js[] = {
#embed "../ViewerPages/Resources/sharing.js"
};
static const uint8_t splits_js[] = {
#embed "../ViewerPages/Resources/splits.js"
};
static const uint8_t start_html[] = {
#embed "../ViewerPages/Resources/start.html"
};
static const uint8_t start_js[] = {
#embed "../ViewerPages/Resources/start.js"
};
static const uint8_t state_js[] = {
#embed "../ViewerPages/Resources/state.js"
};
static const uint8_t strap_js[] = {
#embed "../ViewerPages/Resources/strap.js"
};
static const uint8_t strings_js[] = {
#embed "../ViewerPages/Resources/strings.js"
};
static const uint8_t tally_js[] = {
#embed "../ViewerPages/Resources/tally.js"
};
static const uint8_t tiles_js[] = {
#embed "../ViewerPages/Resources/tiles.js"
};
static const uint8_t training_js[] = {
#embed "../ViewerPages/Resources/training.js"
};
static const uint8_t uplink_js[] = {
#embed "../ViewerPages/Resources/uplink.js"
};
static const uint8_t voice_js[] = {
#embed "../ViewerPages/Resources/voice.js"
};
static const uint8_t week_js[] = {
#embed "../ViewerPages/Resources/week.js"
};
static const uint8_t zones_js[] = {
#embed "../ViewerPages/Resources/zones.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct cpages_file files[] = {
    FILE("admin.html", admin_html),
    FILE("admin.js", admin_js),
    FILE("adminclient.js", adminclient_js),
    FILE("adminwords.js", adminwords_js),
    FILE("alert.html", alert_html),
    FILE("alert.js", alert_js),
    FILE("alerttaken.html", alerttaken_html),
    FILE("base.css", base_css),
    FILE("beat.js", beat_js),
    FILE("board.js", board_js),
    FILE("chart.js", chart_js),
    FILE("charts.js", charts_js),
    FILE("clock.js", clock_js),
    FILE("colors.js", colors_js),
    FILE("connection.js", connection_js),
    FILE("course.js", course_js),
    FILE("coursefile.js", coursefile_js),
    FILE("credentials.js", credentials_js),
    FILE("deliveries.js", deliveries_js),
    FILE("dom.js", dom_js),
    FILE("door.js", door_js),
    FILE("format.js", format_js),
    FILE("frames.js", frames_js),
    FILE("framestore.js", framestore_js),
    FILE("group.html", group_html),
    FILE("group.js", group_js),
    FILE("groups.js", groups_js),
    FILE("helpcall.js", helpcall_js),
    FILE("hold.js", hold_js),
    FILE("icon.png", icon_png),
    FILE("icon.svg", icon_svg),
    FILE("importfiles.js", importfiles_js),
    FILE("leader.js", leader_js),
    FILE("linkdialog.js", linkdialog_js),
    FILE("live.css", live_css),
    FILE("live.html", live_html),
    FILE("live.js", live_js),
    FILE("manifest.webmanifest", manifest_webmanifest),
    FILE("map.css", map_css),
    FILE("map.js", map_js),
    FILE("me.css", me_css),
    FILE("me.html", me_html),
    FILE("me.js", me_js),
    FILE("messages.js", messages_js),
    FILE("metrics.js", metrics_js),
    FILE("motion.js", motion_js),
    FILE("notfound.html", notfound_html),
    FILE("notfound.js", notfound_js),
    FILE("outbox.js", outbox_js),
    FILE("overlay.css", overlay_css),
    FILE("overlay.html", overlay_html),
    FILE("overlay.js", overlay_js),
    FILE("overlaysetup.css", overlaysetup_css),
    FILE("overlaysetup.html", overlaysetup_html),
    FILE("overlaysetup.js", overlaysetup_js),
    FILE("owner.js", owner_js),
    FILE("ownerwords.js", ownerwords_js),
    FILE("pagecopy.js", pagecopy_js),
    FILE("pages.css", pages_css),
    FILE("panel.js", panel_js),
    FILE("part-charts.html", part_charts_html),
    FILE("part-head.html", part_head_html),
    FILE("part-map-color.html", part_map_color_html),
    FILE("part-map-tools.html", part_map_tools_html),
    FILE("part-scopes.html", part_scopes_html),
    FILE("part-zones.html", part_zones_html),
    FILE("past.js", past_js),
    FILE("picture.js", picture_js),
    FILE("places.js", places_js),
    FILE("position.js", position_js),
    FILE("power.js", power_js),
    FILE("profile.js", profile_js),
    FILE("projection.js", projection_js),
    FILE("protocol.js", protocol_js),
    FILE("qr.js", qr_js),
    FILE("queue.js", queue_js),
    FILE("receivers.js", receivers_js),
    FILE("record.css", record_css),
    FILE("record.html", record_html),
    FILE("record.js", record_js),
    FILE("recorder.js", recorder_js),
    FILE("recording.js", recording_js),
    FILE("recordmodel.js", recordmodel_js),
    FILE("recordview.js", recordview_js),
    FILE("recordwords.js", recordwords_js),
    FILE("recordworker.js", recordworker_js),
    FILE("report.css", report_css),
    FILE("report.html", report_html),
    FILE("report.js", report_js),
    FILE("retry.js", retry_js),
    FILE("route.js", route_js),
    FILE("scrub.js", scrub_js),
    FILE("sensors.js", sensors_js),
    FILE("series.js", series_js),
    FILE("sessionlist.js", sessionlist_js),
    FILE("sharelist.js", sharelist_js),
    FILE("sharing.js", sharing_js),
    FILE("splits.js", splits_js),
    FILE("start.html", start_html),
    FILE("start.js", start_js),
    FILE("state.js", state_js),
    FILE("strap.js", strap_js),
    FILE("strings.js", strings_js),
    FILE("tally.js", tally_js),
    FILE("tiles.js", tiles_js),
    FILE("training.js", training_js),
    FILE("uplink.js", uplink_js),
    FILE("voice.js", voice_js),
    FILE("week.js", week_js),
    FILE("zones.js", zones_js),
};

size_t cpages_count(void) { return sizeof files / sizeof files[0]; }

struct cpages_file cpages_file(size_t index) { return files[index]; }
